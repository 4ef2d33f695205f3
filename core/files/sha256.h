#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace hw {

/// A SHA-256 digest taken piece by piece (FIPS 180-4, by OpenSSL).
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void update(std::string_view piece);

  /// 64 lower-case hexadecimal digits. Ends the digest: call it once, last.
  std::string hex();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

/// Larger models are told apart by what planning sees of them, other files by their first bytes:
/// reading gigabytes only to hash them would take longer than all the rest.
inline constexpr std::size_t kHashedWhole = std::size_t{256} << 20U;

/// The digest of `bytes` in one go.
std::string sha256(std::string_view bytes);

}  // namespace hw
