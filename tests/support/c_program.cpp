#include "tests/support/c_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>

#include "core/files/process.h"
#include "tests/support/scratch_folder.h"

namespace hw::test {
namespace {

/// A program that runs networks on inputs from a file, and writes what came of them. Kernels are
/// called through functions that write down what each of them made.
constexpr const char* kMain = R"(
#include <stdio.h>
#include <stdlib.h>

struct end { size_t offset, bytes; };
struct network {
  int32_t (*invoke)(unsigned char *, void *, int32_t, const struct highwater_kernels *);
  int32_t (*scratch_bytes)(const struct highwater_kernels *);
  size_t arena, inputs, outputs, runs;
  const struct end *input, *output;
};
static const struct highwater_kernels *real;
static FILE *made;

static void note(const void *from, int32_t bytes) { fwrite(from, 1, (size_t)bytes, made); }

static arm_cmsis_nn_status convolve(const cmsis_nn_context *k, const cmsis_nn_conv_params *p,
    const cmsis_nn_per_channel_quant_params *q, const cmsis_nn_dims *id, const int8_t *i,
    const cmsis_nn_dims *fd, const int8_t *f, const cmsis_nn_dims *bd, const int32_t *b,
    const cmsis_nn_dims *od, int8_t *o) {
  arm_cmsis_nn_status status = real->convolve(k, p, q, id, i, fd, f, bd, b, od, o);
  note(o, od->h * od->w * od->c);
  return status;
}
static arm_cmsis_nn_status depthwise(const cmsis_nn_context *k, const cmsis_nn_dw_conv_params *p,
    const cmsis_nn_per_channel_quant_params *q, const cmsis_nn_dims *id, const int8_t *i,
    const cmsis_nn_dims *fd, const int8_t *f, const cmsis_nn_dims *bd, const int32_t *b,
    const cmsis_nn_dims *od, int8_t *o) {
  arm_cmsis_nn_status status = real->depthwise(k, p, q, id, i, fd, f, bd, b, od, o);
  note(o, od->h * od->w * od->c);
  return status;
}
static arm_cmsis_nn_status connect_all(const cmsis_nn_context *k, const cmsis_nn_fc_params *p,
    const cmsis_nn_quant_params *q, const cmsis_nn_dims *id, const int8_t *i,
    const cmsis_nn_dims *fd, const int8_t *f, const cmsis_nn_dims *bd, const int32_t *b,
    const cmsis_nn_dims *od, int8_t *o) {
  arm_cmsis_nn_status status = real->connect(k, p, q, id, i, fd, f, bd, b, od, o);
  note(o, od->n * od->c);
  return status;
}
static arm_cmsis_nn_status average_pool(const cmsis_nn_context *k, const cmsis_nn_pool_params *p,
    const cmsis_nn_dims *id, const int8_t *i, const cmsis_nn_dims *fd, const cmsis_nn_dims *od,
    int8_t *o) {
  arm_cmsis_nn_status status = real->average_pool(k, p, id, i, fd, od, o);
  note(o, od->h * od->w * od->c);
  return status;
}
static arm_cmsis_nn_status max_pool(const cmsis_nn_context *k, const cmsis_nn_pool_params *p,
    const cmsis_nn_dims *id, const int8_t *i, const cmsis_nn_dims *fd, const cmsis_nn_dims *od,
    int8_t *o) {
  arm_cmsis_nn_status status = real->max_pool(k, p, id, i, fd, od, o);
  note(o, od->h * od->w * od->c);
  return status;
}
static arm_cmsis_nn_status add(const int8_t *a, const int8_t *b, int32_t ao, int32_t am, int32_t as,
    int32_t bo, int32_t bm, int32_t bs, int32_t ls, int8_t *o, int32_t oo, int32_t om, int32_t os,
    int32_t least, int32_t most, int32_t n) {
  arm_cmsis_nn_status status =
      real->add(a, b, ao, am, as, bo, bm, bs, ls, o, oo, om, os, least, most, n);
  note(o, n);
  return status;
}
static arm_cmsis_nn_status subtract(const int8_t *a, const int8_t *b, int32_t ao, int32_t am,
    int32_t as, int32_t bo, int32_t bm, int32_t bs, int32_t ls, int8_t *o, int32_t oo, int32_t om,
    int32_t os, int32_t least, int32_t most, int32_t n) {
  arm_cmsis_nn_status status =
      real->subtract(a, b, ao, am, as, bo, bm, bs, ls, o, oo, om, os, least, most, n);
  note(o, n);
  return status;
}
static arm_cmsis_nn_status multiply(const int8_t *a, const int8_t *b, int32_t ao, int32_t bo,
    int8_t *o, int32_t oo, int32_t om, int32_t os, int32_t least, int32_t most, int32_t n) {
  arm_cmsis_nn_status status = real->multiply(a, b, ao, bo, o, oo, om, os, least, most, n);
  note(o, n);
  return status;
}
static void softmax(const int8_t *i, int32_t rows, int32_t size, int32_t m, int32_t s, int32_t d,
    int8_t *o) {
  real->softmax(i, rows, size, m, s, d, o);
  note(o, rows * size);
}
static arm_cmsis_nn_status pad(const int8_t *i, int8_t *o, int8_t v, const cmsis_nn_dims *d,
    const cmsis_nn_dims *b, const cmsis_nn_dims *a) {
  arm_cmsis_nn_status status = real->pad(i, o, v, d, b, a);
  note(o, (b->n + d->n + a->n) * (b->h + d->h + a->h) * (b->w + d->w + a->w) *
              (b->c + d->c + a->c));
  return status;
}
static void mean(const int8_t *i, int32_t outer, int32_t count, int32_t inner, int32_t io,
    int32_t m, int32_t s, int32_t oo, int8_t *o) {
  real->mean(i, outer, count, inner, io, m, s, oo, o);
  note(o, outer * inner);
}
static void resize(const int8_t *i, int32_t w, int32_t c, const uint16_t *rows,
    const uint16_t *columns, int8_t *o, int32_t oh, int32_t ow) {
  real->resize(i, w, c, rows, columns, o, oh, ow);
  note(o, oh * ow * c);
}
static void lookup(const int8_t *i, const int8_t *t, int8_t *o, int32_t n) {
  real->lookup(i, t, o, n);
  note(o, n);
}
static void quantize(const float *i, float s, int32_t z, int8_t *o, int32_t n) {
  real->quantize(i, s, z, o, n);
  note(o, n);
}
static void dequantize(const int8_t *i, float s, int32_t z, float *o, int32_t n) {
  real->dequantize(i, s, z, o, n);
  note(o, 4 * n);
}

static void fail(const char *why, size_t network) {
  fprintf(stderr, "network %lu: %s\n", (unsigned long)network, why);
  exit(2);
}

/* The arena ends where the allocation ends, so that sanitizers see each byte behind it. */
static void run(const struct network *network, size_t number, FILE *in, FILE *out) {
  struct highwater_kernels kernels = *real;
  unsigned char *block = malloc(network->arena + 64), *arena = block + 64;
  void *scratch;
  int32_t needed;
  size_t i, turn;
  kernels.convolve = convolve, kernels.depthwise = depthwise, kernels.connect = connect_all;
  kernels.average_pool = average_pool, kernels.max_pool = max_pool, kernels.add = add;
  kernels.subtract = subtract, kernels.multiply = multiply, kernels.softmax = softmax;
  kernels.pad = pad, kernels.mean = mean, kernels.resize = resize, kernels.lookup = lookup;
  kernels.quantize = quantize, kernels.dequantize = dequantize;
  needed = network->scratch_bytes(&kernels);
  scratch = malloc((size_t)needed + 1);
  for (i = 0; i < network->arena + 64; ++i) block[i] = i < 64 ? 0xa5 : (unsigned char)(i * 37);
  for (turn = 0; turn < network->runs; ++turn) {
    for (i = 0; i < network->inputs; ++i) {
      const struct end *end = &network->input[i];
      if (fread(arena + end->offset, 1, end->bytes, in) != end->bytes) fail("no input", number);
    }
    if (network->invoke(arena, scratch, needed, &kernels) != 0) fail("it failed", number);
    for (i = 0; i < 64; ++i) {
      if (block[i] != 0xa5) fail("it wrote in front of the arena", number);
    }
    for (i = 0; i < network->outputs; ++i) {
      fwrite(arena + network->output[i].offset, 1, network->output[i].bytes, out);
    }
    fputs("END OF RUN", made);
  }
  free(scratch);
  free(block);
}
)";

/// A number that a header defines.
std::size_t defined(const CNetwork& network, const std::string& name) {
  std::string upper = network.prefix;
  std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return std::toupper(c); });
  const std::string line = "#define " + upper + "_" + name + " ";
  const std::size_t at = network.text.header.find(line);
  REQUIRE(at != std::string::npos);
  return std::stoul(network.text.header.substr(at + line.size()));
}

std::string endsOf(const CNetwork& network, const std::string& kind) {
  std::string text;
  for (std::size_t i = 0; i < defined(network, kind + "S"); ++i) {
    const std::string name = kind + "_" + std::to_string(i);
    text += fmt::format("{{{}, {}}},", defined(network, name + "_OFFSET"),
                        defined(network, name + "_BYTES"));
  }
  return text;
}

std::string mainOf(const std::vector<CNetwork>& networks) {
  std::string text;
  for (const CNetwork& each : networks) text += fmt::format("#include \"{}.c\"\n", each.prefix);
  text += kMain;
  std::string table;
  for (const CNetwork& each : networks) {
    for (const char* kind : {"INPUT", "OUTPUT"}) {
      text += fmt::format("static const struct end {}_{}[] = {{{}}};\n", each.prefix, kind,
                          endsOf(each, kind));
    }
    table += fmt::format(
        "  {{{0}_invoke, {0}_scratch_bytes, {1}, {2}, {3}, {4}, {0}_INPUT, {0}_OUTPUT}},\n",
        each.prefix, defined(each, "ARENA_BYTES"), defined(each, "INPUTS"),
        defined(each, "OUTPUTS"), each.inputs.size());
  }
  return text + fmt::format(R"(
static const struct network networks[] = {{
{}}};
int main(int count, char **names) {{
  FILE *in, *out;
  size_t i;
  if (count != 4) return 1;
  in = fopen(names[1], "rb"), out = fopen(names[2], "wb"), made = fopen(names[3], "wb");
  if (in == 0 || out == 0 || made == 0) return 1;
  real = &{}_reference_kernels;
  for (i = 0; i < sizeof(networks) / sizeof(networks[0]); ++i) run(&networks[i], i, in, out);
  return fclose(in) != 0 || fclose(out) != 0 || fclose(made) != 0;
}}
)",
                            table, networks.front().prefix);
}

std::string said(const Finished& finished) {
  return fmt::format("exit code {}, signal {}{}: {}", finished.exitCode, finished.signal,
                     finished.timedOut ? ", timed out" : "", finished.errors);
}

std::vector<std::byte> taken(std::string_view& text, std::size_t size) {
  std::vector<std::byte> bytes(std::min(size, text.size()));
  std::memcpy(bytes.data(), text.data(), bytes.size());
  text.remove_prefix(bytes.size());
  return bytes;
}

/// What a program left in its files, by network and run.
std::vector<std::vector<CRun>> runsOf(const std::vector<CNetwork>& networks,
                                      std::string_view outputs, std::string_view made) {
  std::vector<std::vector<CRun>> runs;
  for (const CNetwork& each : networks) {
    runs.emplace_back(each.inputs.size());
    for (CRun& run : runs.back()) {
      for (std::size_t i = 0; i < defined(each, "OUTPUTS"); ++i) {
        run.outputs.push_back(taken(outputs, defined(each, fmt::format("OUTPUT_{}_BYTES", i))));
      }
      constexpr std::string_view kEnd = "END OF RUN";
      run.made = taken(made, made.find(kEnd));
      taken(made, kEnd.size());
    }
  }
  return runs;
}

}  // namespace

bool hasCompiler() {
  const auto found = runProgram({"/usr/bin/env", "cc", "--version"}, "", 20, {});
  if (found && found->exitCode == 0) return true;
  WARN("skipped: no C compiler (cc)");
  return false;
}

tl::expected<std::vector<std::vector<CRun>>, std::string> runC(
    const std::vector<CNetwork>& networks, const std::vector<std::string>& options) {
  const ScratchFolder folder;
  std::string inputs;
  for (const CNetwork& each : networks) {
    folder.write(each.prefix + ".c", each.text.source);
    folder.write(each.prefix + ".h", each.text.header);
    for (const ByteLists& run : each.inputs) {
      for (const auto& bytes : run) {
        inputs.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      }
    }
  }
  folder.write("main.c", mainOf(networks));
  folder.write("in", inputs);
  std::vector<std::string> compiler = {"/usr/bin/env",     "cc",
                                       "-std=c99",         "-Wall",
                                       "-Wextra",          "-Werror",
                                       "-pedantic",        "-o",
                                       folder.file("run"), folder.file("main.c")};
  compiler.insert(compiler.end(), options.begin(), options.end());
  const auto compiled = runProgram(compiler, "", 300, {});
  if (!compiled) return tl::unexpected(compiled.error().text());
  if (compiled->exitCode != 0) return tl::unexpected("cc: " + said(*compiled));
  const auto ran =
      runProgram({folder.file("run"), folder.file("in"), folder.file("out"), folder.file("made")},
                 "", 300, {});
  if (!ran) return tl::unexpected(ran.error().text());
  if (ran->exitCode != 0 || ran->signal != 0) return tl::unexpected(said(*ran));
  return runsOf(networks, folder.read("out"), folder.read("made"));
}

}  // namespace hw::test
