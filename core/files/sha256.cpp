#include "core/files/sha256.h"

#include <openssl/evp.h>

#include <array>

#include "core/base/check.h"

namespace hw {

struct Sha256::Context {
  EVP_MD_CTX* digest = EVP_MD_CTX_new();

  Context() = default;
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() { EVP_MD_CTX_free(digest); }
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {
  check(EVP_DigestInit_ex(context_->digest, EVP_sha256(), nullptr) == 1, "OpenSSL to know SHA-256");
}

Sha256::~Sha256() = default;

void Sha256::update(std::string_view piece) {
  check(EVP_DigestUpdate(context_->digest, piece.data(), piece.size()) == 1,
        "a digest that has not ended");
}

std::string Sha256::hex() {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::array<unsigned char, 32> digest{};
  unsigned size = 0;
  check(EVP_DigestFinal_ex(context_->digest, digest.data(), &size) == 1 && size == digest.size(),
        "a digest of 32 bytes");
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
