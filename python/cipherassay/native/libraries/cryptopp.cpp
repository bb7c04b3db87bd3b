// Crypto++: Encryption and Decryption objects of each cipher, one block a call.
#include <cryptopp/cpu.h>
#include <cryptopp/config.h>
#include <cryptopp/mars.h>
#include <cryptopp/rc6.h>
#include <cryptopp/rijndael.h>
#include <cryptopp/serpent.h>
#include <cryptopp/twofish.h>

#include <string>

#include "assay.h"

namespace {

template <class C>
struct Pair {
    typename C::Encryption forward;
    typename C::Decryption backward;
};

template <class C>
struct Adapter {
    using Holder = Pair<C> *;

    static Pair<C> &open(void *ctx)
    {
        auto *holder = static_cast<Holder *>(ctx);
        if (!*holder)
            *holder = new Pair<C>;
        return **holder;
    }

    static int encrypt_key(void *ctx, const uint8_t *key, size_t key_bits)
    {
        open(ctx).forward.SetKey(key, key_bits / 8);
        return 0;
    }

    static int decrypt_key(void *ctx, const uint8_t *key, size_t key_bits)
    {
        open(ctx).backward.SetKey(key, key_bits / 8);
        return 0;
    }

    static void encrypt(const void *ctx, const uint8_t *in, uint8_t *out)
    {
        (*static_cast<const Holder *>(ctx))->forward.ProcessBlock(in, out);
    }

    static void decrypt(const void *ctx, const uint8_t *in, uint8_t *out)
    {
        (*static_cast<const Holder *>(ctx))->backward.ProcessBlock(in, out);
    }

    static void release(void *ctx)
    {
        auto *holder = static_cast<Holder *>(ctx);
        delete *holder;
        *holder = nullptr;
    }
};

// The library looks at the processor when it is loaded; its own switch for AES instructions is then turned off.
__attribute__((constructor)) void without_aes_instructions()
{
    CryptoPP::g_hasAESNI = false;
}

}  // namespace

#define ADAPT(SLUG, CLASS)                                                                       \
    extern "C" const assay_cipher assay_##SLUG;                                                  \
    extern "C" const assay_cipher assay_##SLUG = {                                               \
        sizeof(Pair<CryptoPP::CLASS> *), 16, Adapter<CryptoPP::CLASS>::encrypt_key,               \
        Adapter<CryptoPP::CLASS>::decrypt_key, Adapter<CryptoPP::CLASS>::encrypt,                \
        Adapter<CryptoPP::CLASS>::decrypt,  Adapter<CryptoPP::CLASS>::release,                   \
    };

ADAPT(rijndael, Rijndael)
ADAPT(serpent, Serpent)
ADAPT(twofish, Twofish)
ADAPT(rc6, RC6)
ADAPT(mars, MARS)

extern "C" const char *assay_version()
{
    static const std::string text = std::to_string(CRYPTOPP_VERSION / 100) + "." +
                                    std::to_string(CRYPTOPP_VERSION / 10 % 10) + "." +
                                    std::to_string(CRYPTOPP_VERSION % 10);
    return text.c_str();
}
