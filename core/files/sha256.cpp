#include "core/files/sha256.h"

// The functions of OpenSSL 1.1, which need nothing else of the library: those of 3.0 load all that
// there is before they choose.
#define OPENSSL_API_COMPAT 0x10100000L
#include <openssl/sha.h>

#include <array>

namespace hw {

struct Sha256::Context {
  SHA256_CTX digest{};
};

Sha256::Sha256() : context_(std::make_unique<Context>()) { SHA256_Init(&context_->digest); }

Sha256::~Sha256() = default;

void Sha256::update(std::string_view piece) {
  SHA256_Update(&context_->digest, piece.data(), piece.size());
}

std::string Sha256::hex() {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256_Final(digest.data(), &context_->digest);
  std::string text;
  for (const unsigned char byte : digest) {
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 0xFU];
  }
  return text;
}

std::string sha256(std::string_view bytes) {
  Sha256 digest;
  digest.update(bytes);
  return digest.hex();
}

}  // namespace hw
