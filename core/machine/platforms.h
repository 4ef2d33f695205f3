#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/machine/memory_model.h"

namespace hw {

/// Reads a platform in TOML (docs/formats/platform.md). Unknown keys are errors that name the
/// closest known one; `where` gives line and column. What is not said: an unbounded capacity,
/// alignment and burst 1, a bandwidth that takes no time, a latency and energy of 0; ops run one
/// after the other unless the device has a DMA engine. A unit's clock has to be said.
Result<Platform> parsePlatform(std::string_view toml);

/// The presets compiled into the program, all of them parsed; the first is the default.
const std::vector<Platform>& platformCatalog();
/// The default alone, without the others.
const Platform& defaultPlatform();
bool isPreset(std::string_view name);

/// A preset by name, or an error with the closest name there is.
Result<Platform> findPlatform(std::string_view name);

/// The content of a platform's file: TOML, or how another tool describes its machine
/// (foreign/machine_formats.h), of which `choice` says which.
Result<Platform> readPlatformFile(std::string_view bytes, std::string_view choice);

/// True if `text` names a file: it ends as one (".toml", ".ini", ".json", ".mpool"), with or
/// without a choice behind a colon, has a slash, or is "-".
bool isPlatformFile(std::string_view text);
/// The file in what `openPlatform` takes; empty for a preset.
std::string platformFile(const std::string& text);
/// A preset or a file, behind that which of its machines, and behind all what differs (tuning.h):
/// "reuse.toml:dma=16GB/s", "vela.ini:Ethos_U55_High_End_Embedded,Shared_Sram:macs=128"; what is
/// wrong with a file names it.
Result<Platform> openPlatform(const std::string& text);
/// The text that `openPlatform` takes for it: the file it came from, or the preset's name.
const std::string& platformText(const Platform& platform);
/// The name for people; with the file that it is from, where a preset has the same name.
std::string platformLabel(const Platform& platform);

}  // namespace hw
