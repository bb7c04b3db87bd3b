// Crypto++: Encryption and Decryption objects of each cipher, one block a call.
#include <cryptopp/argnames.h>
#include <cryptopp/aria.h>
#include <cryptopp/blowfish.h>
#include <cryptopp/camellia.h>
#include <cryptopp/cast.h>
#include <cryptopp/cham.h>
#include <cryptopp/config.h>
#include <cryptopp/cpu.h>
#include <cryptopp/des.h>
#include <cryptopp/hight.h>
#include <cryptopp/idea.h>
#include <cryptopp/kalyna.h>
#include <cryptopp/lea.h>
#include <cryptopp/mars.h>
#include <cryptopp/rc6.h>
#include <cryptopp/rijndael.h>
#include <cryptopp/seed.h>
#include <cryptopp/serpent.h>
#include <cryptopp/simon.h>
#include <cryptopp/sm4.h>
#include <cryptopp/speck.h>
#include <cryptopp/tea.h>
#include <cryptopp/threefish.h>
#include <cryptopp/twofish.h>

#include <cstring>
#include <string>

#include "assay.h"
#include "orders.h"

namespace {

template <class C>
struct Pair {
    typename C::Encryption forward;
    typename C::Decryption backward;
};

// Gives an object its key; one that the class refuses is no exception here.
struct PlainKey {
    template <class T>
    static int set(T &cipher, const uint8_t *key, size_t bytes)
    {
        if (!cipher.IsValidKeyLength(bytes))
            return -1;
        cipher.SetKey(key, bytes);
        return 0;
    }
};

// Words of the key are read from the other end.
template <size_t WORD>
struct ReversedKey {
    template <class T>
    static int set(T &cipher, const uint8_t *key, size_t bytes)
    {
        uint8_t turned[64];
        if (bytes > sizeof turned || bytes % WORD != 0)
            return -1;
        assay_reverse(key, turned, bytes, WORD);
        return PlainKey::set(cipher, turned, bytes);
    }
};

// Words of a block as they are, or, of WORD bytes, read from the other end.
template <class C, size_t WORD>
struct Block {
    template <class T>
    static void process(const T &cipher, const uint8_t *in, uint8_t *out)
    {
        uint8_t turned[C::BLOCKSIZE];
        assay_reverse(in, turned, C::BLOCKSIZE, WORD);
        cipher.ProcessBlock(turned);
        assay_reverse(turned, out, C::BLOCKSIZE, WORD);
    }
};

template <class C>
struct Block<C, 0> {
    template <class T>
    static void process(const T &cipher, const uint8_t *in, uint8_t *out)
    {
        cipher.ProcessBlock(in, out);
    }
};

template <class C, class Key = PlainKey, size_t WORD = 0>
struct Adapter {
    using Holder = Pair<C> *;
    static const size_t BLOCK = C::BLOCKSIZE;

    static Pair<C> &open(void *ctx)
    {
        auto *holder = static_cast<Holder *>(ctx);
        if (!*holder)
            *holder = new Pair<C>;
        return **holder;
    }

    static int encrypt_key(void *ctx, const uint8_t *key, size_t key_bits)
    {
        return Key::set(open(ctx).forward, key, key_bits / 8);
    }

    static int decrypt_key(void *ctx, const uint8_t *key, size_t key_bits)
    {
        return Key::set(open(ctx).backward, key, key_bits / 8);
    }

    static void encrypt(const void *ctx, const uint8_t *in, uint8_t *out)
    {
        Block<C, WORD>::process((*static_cast<const Holder *>(ctx))->forward, in, out);
    }

    static void decrypt(const void *ctx, const uint8_t *in, uint8_t *out)
    {
        Block<C, WORD>::process((*static_cast<const Holder *>(ctx))->backward, in, out);
    }

    static void release(void *ctx)
    {
        auto *holder = static_cast<Holder *>(ctx);
        delete *holder;
        *holder = nullptr;
    }
};

// The tweak lies behind the block. The library takes it with the key, which it is given again for another tweak.
template <class C>
struct Tweaked {
    static const size_t TWEAK = 16;

    template <class T>
    struct Half {
        T cipher;
        uint8_t key[C::BLOCKSIZE], tweak[TWEAK];

        int set(const uint8_t *given, size_t bytes)
        {
            if (!cipher.IsValidKeyLength(bytes))
                return -1;
            std::memcpy(key, given, bytes);
            std::memset(tweak, 0, TWEAK);
            return PlainKey::set(cipher, given, bytes);
        }

        void process(const uint8_t *in, uint8_t *out)
        {
            if (std::memcmp(tweak, in + C::BLOCKSIZE, TWEAK) != 0) {
                std::memcpy(tweak, in + C::BLOCKSIZE, TWEAK);
                const CryptoPP::ConstByteArrayParameter given(tweak, TWEAK);
                cipher.SetKey(key, C::BLOCKSIZE, CryptoPP::MakeParameters(CryptoPP::Name::Tweak(), given));
            }
            cipher.ProcessBlock(in, out);
        }
    };

    struct Both {
        Half<typename C::Encryption> forward;
        Half<typename C::Decryption> backward;
    };

    using Holder = Both *;
    static const size_t BLOCK = C::BLOCKSIZE + TWEAK;

    static Both &open(void *ctx)
    {
        auto *holder = static_cast<Holder *>(ctx);
        if (!*holder)
            *holder = new Both;
        return **holder;
    }

    static int encrypt_key(void *ctx, const uint8_t *key, size_t key_bits)
    {
        return open(ctx).forward.set(key, key_bits / 8);
    }

    static int decrypt_key(void *ctx, const uint8_t *key, size_t key_bits)
    {
        return open(ctx).backward.set(key, key_bits / 8);
    }

    static void encrypt(const void *ctx, const uint8_t *in, uint8_t *out)
    {
        (*static_cast<const Holder *>(ctx))->forward.process(in, out);
    }

    static void decrypt(const void *ctx, const uint8_t *in, uint8_t *out)
    {
        (*static_cast<const Holder *>(ctx))->backward.process(in, out);
    }

    static void release(void *ctx)
    {
        auto *holder = static_cast<Holder *>(ctx);
        delete *holder;
        *holder = nullptr;
    }
};

// The library looks at the processor when it is loaded; its own switches are then turned off.
__attribute__((constructor)) void without_vector_code()
{
#if defined(__x86_64__) || defined(__i386__)
    CryptoPP::g_hasAESNI = CryptoPP::g_hasSSSE3 = CryptoPP::g_hasSSE41 = CryptoPP::g_hasSSE42 = false;
    CryptoPP::g_hasAVX = CryptoPP::g_hasAVX2 = CryptoPP::g_hasCLMUL = false;
#elif defined(__aarch64__)
    CryptoPP::g_hasAES = CryptoPP::g_hasSM4 = CryptoPP::g_hasNEON = false;
#endif
}

}  // namespace

#define ADAPT_BY(SYMBOL, ...)                                                             \
    namespace {                                                                           \
    using Of_##SYMBOL = __VA_ARGS__;                                                      \
    }                                                                                     \
    extern "C" const assay_cipher assay_##SYMBOL;                                         \
    extern "C" const assay_cipher assay_##SYMBOL = {                                      \
        sizeof(Of_##SYMBOL::Holder), Of_##SYMBOL::BLOCK, Of_##SYMBOL::encrypt_key,        \
        Of_##SYMBOL::decrypt_key, Of_##SYMBOL::encrypt, Of_##SYMBOL::decrypt, Of_##SYMBOL::release, \
    };
#define ADAPT(SYMBOL, CLASS, ...) ADAPT_BY(SYMBOL, Adapter<CryptoPP::CLASS __VA_OPT__(, ) __VA_ARGS__>)
#define ADAPT_TWEAKED(SYMBOL, CLASS) ADAPT_BY(SYMBOL, Tweaked<CryptoPP::CLASS>)

ADAPT(aria, ARIA)
ADAPT(blowfish, Blowfish)
ADAPT(camellia, Camellia)
ADAPT(cast128, CAST128)
ADAPT(cast256, CAST256)
ADAPT(cham128, CHAM128, ReversedKey<4>, 4)
ADAPT(cham64, CHAM64, ReversedKey<2>, 2)
ADAPT(des, DES)
ADAPT(hight, HIGHT, ReversedKey<16>, 8)
ADAPT(idea, IDEA)
ADAPT(kalyna128, Kalyna128)
ADAPT(kalyna256, Kalyna256)
ADAPT(kalyna512, Kalyna512)
ADAPT(lea, LEA)
ADAPT(mars, MARS)
ADAPT(rc6, RC6)
ADAPT(rijndael, Rijndael)
ADAPT(seed, SEED)
ADAPT(serpent, Serpent)
ADAPT(simon128, SIMON128)
ADAPT(simon64, SIMON64)
ADAPT(sm4, SM4)
ADAPT(speck128, SPECK128)
ADAPT(speck64, SPECK64)
ADAPT(tdes_128, DES_EDE2)
ADAPT(tdes_192, DES_EDE3)
ADAPT_TWEAKED(threefish1024, Threefish1024)
ADAPT_TWEAKED(threefish256, Threefish256)
ADAPT_TWEAKED(threefish512, Threefish512)
ADAPT(twofish, Twofish)
ADAPT(xtea, XTEA)

extern "C" const char *assay_version()
{
    static const std::string text = std::to_string(CRYPTOPP_VERSION / 100) + "." +
                                    std::to_string(CRYPTOPP_VERSION / 10 % 10) + "." +
                                    std::to_string(CRYPTOPP_VERSION % 10);
    return text.c_str();
}
