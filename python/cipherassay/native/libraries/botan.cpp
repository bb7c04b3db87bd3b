// Botan 2: BlockCipher objects, with AES instructions and vector code switched off.
#include <botan/block_cipher.h>
#include <botan/version.h>
#include <botan/cpuid.h>

#include <memory>
#include <string>

#include "assay.h"

namespace {

struct Holder {
    std::unique_ptr<Botan::BlockCipher> cipher;
    size_t key_bits;
};

int set_key(void *ctx, const uint8_t *key, size_t key_bits, const std::string &name)
{
    auto *holder = static_cast<Holder *>(ctx);
    if (!holder->cipher || holder->key_bits != key_bits) {
        holder->cipher = Botan::BlockCipher::create(name);
        holder->key_bits = key_bits;
        if (!holder->cipher)
            return -1;
    }
    holder->cipher->set_key(key, key_bits / 8);
    return 0;
}

void encrypt(const void *ctx, const uint8_t *in, uint8_t *out)
{
    static_cast<const Holder *>(ctx)->cipher->encrypt_n(in, out, 1);
}

void decrypt(const void *ctx, const uint8_t *in, uint8_t *out)
{
    static_cast<const Holder *>(ctx)->cipher->decrypt_n(in, out, 1);
}

void release(void *ctx)
{
    static_cast<Holder *>(ctx)->cipher.reset();
}

int rijndael_key(void *ctx, const uint8_t *key, size_t key_bits)
{
    static const std::string names[] = {"AES-128", "AES-192", "AES-256"};
    return set_key(ctx, key, key_bits, names[key_bits / 64 - 2]);
}

int serpent_key(void *ctx, const uint8_t *key, size_t key_bits)
{
    static const std::string name = "Serpent";
    return set_key(ctx, key, key_bits, name);
}

int twofish_key(void *ctx, const uint8_t *key, size_t key_bits)
{
    static const std::string name = "Twofish";
    return set_key(ctx, key, key_bits, name);
}

__attribute__((constructor)) void without_vector_code()
{
#if defined(BOTAN_TARGET_CPU_IS_X86_FAMILY)
    using Botan::CPUID;
    for (auto bit : {CPUID::CPUID_AESNI_BIT, CPUID::CPUID_SSSE3_BIT, CPUID::CPUID_SSE2_BIT, CPUID::CPUID_AVX2_BIT,
                     CPUID::CPUID_AVX512F_BIT})
        CPUID::clear_cpuid_bit(bit);
#elif defined(BOTAN_TARGET_CPU_IS_ARM_FAMILY)
    for (auto bit : {Botan::CPUID::CPUID_ARM_AES_BIT, Botan::CPUID::CPUID_ARM_NEON_BIT})
        Botan::CPUID::clear_cpuid_bit(bit);
#endif
}

}  // namespace

extern "C" {
extern const assay_cipher assay_rijndael, assay_serpent, assay_twofish;
const assay_cipher assay_rijndael = {sizeof(Holder), 16, rijndael_key, rijndael_key, encrypt, decrypt, release};
const assay_cipher assay_serpent = {sizeof(Holder), 16, serpent_key, serpent_key, encrypt, decrypt, release};
const assay_cipher assay_twofish = {sizeof(Holder), 16, twofish_key, twofish_key, encrypt, decrypt, release};
}

extern "C" const char *assay_version()
{
    return Botan::short_version_cstr();
}
