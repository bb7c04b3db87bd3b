// Botan 2: BlockCipher objects, with AES instructions and vector code switched off.
#include <botan/block_cipher.h>
#include <botan/version.h>
#include <botan/cpuid.h>

#include <cstring>
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
    if (!holder->cipher->valid_keylength(key_bits / 8))
        return -1;
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

// The tweak lies behind the block. It is given to the library where it is another than before.
const size_t TWEAK = 16;

struct TweakedHolder : Holder {
    uint8_t tweak[TWEAK];
};

int set_tweaked_key(void *ctx, const uint8_t *key, size_t key_bits, const std::string &name)
{
    std::memset(static_cast<TweakedHolder *>(ctx)->tweak, 0, TWEAK);
    return set_key(static_cast<Holder *>(static_cast<TweakedHolder *>(ctx)), key, key_bits, name);
}

template <size_t BLOCK>
Botan::BlockCipher &tweaked(const void *ctx, const uint8_t *in)
{
    auto *holder = const_cast<TweakedHolder *>(static_cast<const TweakedHolder *>(ctx));
    if (std::memcmp(holder->tweak, in + BLOCK, TWEAK) != 0) {
        std::memcpy(holder->tweak, in + BLOCK, TWEAK);
        dynamic_cast<Botan::Tweakable_Block_Cipher &>(*holder->cipher).set_tweak(holder->tweak, TWEAK);
    }
    return *holder->cipher;
}

template <size_t BLOCK>
void encrypt_tweaked(const void *ctx, const uint8_t *in, uint8_t *out)
{
    tweaked<BLOCK>(ctx, in).encrypt_n(in, out, 1);
}

template <size_t BLOCK>
void decrypt_tweaked(const void *ctx, const uint8_t *in, uint8_t *out)
{
    tweaked<BLOCK>(ctx, in).decrypt_n(in, out, 1);
}

void release(void *ctx)
{
    static_cast<Holder *>(ctx)->cipher.reset();
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

#define ADAPT_BY(SET, HOLDER, SYMBOL, BYTES, NAME, ENCRYPT, DECRYPT)              \
    static int SYMBOL##_key(void *ctx, const uint8_t *key, size_t key_bits)       \
    {                                                                             \
        static const std::string name = NAME;                                     \
        return SET(ctx, key, key_bits, name);                                     \
    }                                                                             \
    extern "C" const assay_cipher assay_##SYMBOL;                                 \
    extern "C" const assay_cipher assay_##SYMBOL = {                              \
        sizeof(HOLDER), BYTES, SYMBOL##_key, SYMBOL##_key, ENCRYPT, DECRYPT, release, \
    };
#define ADAPT(SYMBOL, BYTES, NAME) ADAPT_BY(set_key, Holder, SYMBOL, BYTES, NAME, encrypt, decrypt)
#define ADAPT_TWEAKED(SYMBOL, BYTES, NAME)                                        \
    ADAPT_BY(set_tweaked_key, TweakedHolder, SYMBOL, BYTES + TWEAK, NAME, encrypt_tweaked<BYTES>, \
             decrypt_tweaked<BYTES>)

ADAPT(aria_128, 16, "ARIA-128")
ADAPT(aria_192, 16, "ARIA-192")
ADAPT(aria_256, 16, "ARIA-256")
ADAPT(blowfish, 8, "Blowfish")
ADAPT(camellia_128, 16, "Camellia-128")
ADAPT(camellia_192, 16, "Camellia-192")
ADAPT(camellia_256, 16, "Camellia-256")
ADAPT(cast128, 8, "CAST-128")
ADAPT(cast256, 16, "CAST-256")
ADAPT(des, 8, "DES")
ADAPT(idea, 8, "IDEA")
ADAPT(misty1, 8, "MISTY1")
ADAPT(rijndael_128, 16, "AES-128")
ADAPT(rijndael_192, 16, "AES-192")
ADAPT(rijndael_256, 16, "AES-256")
ADAPT(seed, 16, "SEED")
ADAPT(serpent, 16, "Serpent")
ADAPT(sm4, 16, "SM4")
ADAPT(tdes, 8, "TripleDES")
ADAPT_TWEAKED(threefish512, 64, "Threefish-512")
ADAPT(twofish, 16, "Twofish")
ADAPT(xtea, 8, "XTEA")

extern "C" const char *assay_version()
{
    return Botan::short_version_cstr();
}
