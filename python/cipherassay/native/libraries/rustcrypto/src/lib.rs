//! RustCrypto's crates behind the measuring loop's interface (assay.h): contexts are Rust values in the caller's memory.

use cipher::consts::{U16, U20, U24, U32};
use cipher::{Block, BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use std::os::raw::{c_int, c_void};
use std::{mem, ptr, slice};

/// Bytes of the longest key that a crate reads from the other end.
const LONGEST_REVERSED_KEY: usize = 32;

/// The table of functions of one cipher, `struct assay_cipher`.
#[repr(C)]
pub struct Cipher {
    context_bytes: usize,
    block_bytes: usize,
    encrypt_key: unsafe extern "C" fn(*mut c_void, *const u8, usize) -> c_int,
    decrypt_key: unsafe extern "C" fn(*mut c_void, *const u8, usize) -> c_int,
    encrypt: unsafe extern "C" fn(*const c_void, *const u8, *mut u8),
    decrypt: unsafe extern "C" fn(*const c_void, *const u8, *mut u8),
    release: Option<unsafe extern "C" fn(*mut c_void)>,
}

unsafe extern "C" fn set_key<C: KeyInit>(ctx: *mut c_void, key: *const u8, key_bits: usize) -> c_int {
    match C::new_from_slice(slice::from_raw_parts(key, key_bits / 8)) {
        Ok(cipher) => {
            ptr::write(ctx.cast::<C>(), cipher);
            0
        }
        Err(_) => -1,
    }
}

unsafe extern "C" fn encrypt<C: BlockCipherEncrypt>(ctx: *const c_void, input: *const u8, output: *mut u8) {
    let mut block = ptr::read_unaligned(input.cast::<Block<C>>());
    (*ctx.cast::<C>()).encrypt_block(&mut block);
    ptr::write_unaligned(output.cast::<Block<C>>(), block);
}

unsafe extern "C" fn decrypt<C: BlockCipherDecrypt>(ctx: *const c_void, input: *const u8, output: *mut u8) {
    let mut block = ptr::read_unaligned(input.cast::<Block<C>>());
    (*ctx.cast::<C>()).decrypt_block(&mut block);
    ptr::write_unaligned(output.cast::<Block<C>>(), block);
}

unsafe extern "C" fn set_reversed_key<C: KeyInit>(ctx: *mut c_void, key: *const u8, key_bits: usize) -> c_int {
    let mut reversed = [0; LONGEST_REVERSED_KEY];
    let Some(reversed) = reversed.get_mut(..key_bits / 8) else { return -1 };
    reversed.copy_from_slice(slice::from_raw_parts(key, key_bits / 8));
    reversed.reverse();
    set_key::<C>(ctx, reversed.as_ptr(), key_bits)
}

unsafe extern "C" fn encrypt_reversed<C: BlockCipherEncrypt>(ctx: *const c_void, input: *const u8, output: *mut u8) {
    let mut block = ptr::read_unaligned(input.cast::<Block<C>>());
    block.reverse();
    (*ctx.cast::<C>()).encrypt_block(&mut block);
    block.reverse();
    ptr::write_unaligned(output.cast::<Block<C>>(), block);
}

unsafe extern "C" fn decrypt_reversed<C: BlockCipherDecrypt>(ctx: *const c_void, input: *const u8, output: *mut u8) {
    let mut block = ptr::read_unaligned(input.cast::<Block<C>>());
    block.reverse();
    (*ctx.cast::<C>()).decrypt_block(&mut block);
    block.reverse();
    ptr::write_unaligned(output.cast::<Block<C>>(), block);
}

macro_rules! adapt {
    ($name:ident, $cipher:ty) => {
        adapt!($name, $cipher, $cipher, set_key::<$cipher>, set_key::<$cipher>);
    };
    ($name:ident, $forward:ty, $backward:ty) => {
        adapt!($name, $forward, $backward, set_key::<$forward>, set_key::<$backward>);
    };
    ($name:ident, $forward:ty, $backward:ty, $forward_key:expr, $backward_key:expr) => {
        #[no_mangle]
        pub static $name: Cipher = Cipher {
            context_bytes: if mem::size_of::<$forward>() > mem::size_of::<$backward>() {
                mem::size_of::<$forward>()
            } else {
                mem::size_of::<$backward>()
            },
            block_bytes: mem::size_of::<Block<$forward>>(),
            encrypt_key: $forward_key,
            decrypt_key: $backward_key,
            encrypt: encrypt::<$forward>,
            decrypt: decrypt::<$backward>,
            release: None,
        };
    };
}

/// For crates that read keys and blocks from the other end.
macro_rules! adapt_reversed {
    ($name:ident, $cipher:ty) => {
        #[no_mangle]
        pub static $name: Cipher = Cipher {
            context_bytes: mem::size_of::<$cipher>(),
            block_bytes: mem::size_of::<Block<$cipher>>(),
            encrypt_key: set_reversed_key::<$cipher>,
            decrypt_key: set_reversed_key::<$cipher>,
            encrypt: encrypt_reversed::<$cipher>,
            decrypt: decrypt_reversed::<$cipher>,
            release: None,
        };
    };
}

/// For a crate that takes a tweak of two words with the key: it lies behind the block here, and the crate is given both again where it
/// is another than before.
macro_rules! adapt_tweaked {
    ($name:ident, $module:ident, $cipher:ty, $bytes:literal) => {
        mod $module {
            use super::{c_int, c_void, mem, ptr, BlockCipherDecrypt, BlockCipherEncrypt, Cipher};

            struct Tweaked {
                cipher: $cipher,
                key: [u8; $bytes],
                tweak: [u8; 16],
            }

            unsafe extern "C" fn set_key(ctx: *mut c_void, key: *const u8, key_bits: usize) -> c_int {
                if key_bits != 8 * $bytes {
                    return -1;
                }
                let (key, tweak) = (ptr::read(key.cast::<[u8; $bytes]>()), [0; 16]);
                let cipher = <$cipher>::new_with_tweak(&key, &tweak);
                ptr::write(ctx.cast::<Tweaked>(), Tweaked { cipher, key, tweak });
                0
            }

            unsafe fn tweaked<'a>(ctx: *const c_void, input: *const u8) -> &'a $cipher {
                let held = &mut *ctx.cast_mut().cast::<Tweaked>();
                let tweak = ptr::read(input.add($bytes).cast::<[u8; 16]>());
                if tweak != held.tweak {
                    held.tweak = tweak;
                    held.cipher = <$cipher>::new_with_tweak(&held.key, &tweak);
                }
                &held.cipher
            }

            unsafe extern "C" fn encrypt(ctx: *const c_void, input: *const u8, output: *mut u8) {
                let mut block = ptr::read_unaligned(input.cast::<super::Block<$cipher>>());
                tweaked(ctx, input).encrypt_block(&mut block);
                ptr::write_unaligned(output.cast::<super::Block<$cipher>>(), block);
            }

            unsafe extern "C" fn decrypt(ctx: *const c_void, input: *const u8, output: *mut u8) {
                let mut block = ptr::read_unaligned(input.cast::<super::Block<$cipher>>());
                tweaked(ctx, input).decrypt_block(&mut block);
                ptr::write_unaligned(output.cast::<super::Block<$cipher>>(), block);
            }

            #[no_mangle]
            pub static $name: Cipher = Cipher {
                context_bytes: mem::size_of::<Tweaked>(),
                block_bytes: $bytes + 16,
                encrypt_key: set_key,
                decrypt_key: set_key,
                encrypt,
                decrypt,
                release: None,
            };
        }
    };
}

// Where the crate has a type per key size, the symbol carries the key size.
adapt!(assay_aria_128, aria::Aria128);
adapt!(assay_aria_192, aria::Aria192);
adapt!(assay_aria_256, aria::Aria256);
adapt!(assay_blowfish, blowfish::Blowfish);
adapt!(assay_camellia_128, camellia::Camellia128);
adapt!(assay_camellia_192, camellia::Camellia192);
adapt!(assay_camellia_256, camellia::Camellia256);
adapt!(assay_cast128, cast5::Cast5);
adapt!(assay_cast256, cast6::Cast6);
adapt!(assay_des, des::Des);
adapt!(assay_gift128, gift_cipher::Gift128);
adapt!(assay_idea, idea::Idea);
adapt!(assay_kuznyechik, kuznyechik::KuznyechikEnc, kuznyechik::KuznyechikDec);
adapt!(assay_magma, magma::Magma);
adapt!(assay_rc6_128, rc6::RC6<u32, U20, U16>);
adapt!(assay_rc6_192, rc6::RC6<u32, U20, U24>);
adapt!(assay_rc6_256, rc6::RC6<u32, U20, U32>);
adapt!(assay_rijndael_128, aes::Aes128Enc, aes::Aes128Dec);
adapt!(assay_rijndael_192, aes::Aes192Enc, aes::Aes192Dec);
adapt!(assay_rijndael_256, aes::Aes256Enc, aes::Aes256Dec);
adapt!(assay_serpent, serpent::Serpent);
adapt!(assay_sm4, sm4::Sm4);
adapt_reversed!(assay_speck128_128, speck_cipher::Speck128_128);
adapt_reversed!(assay_speck128_192, speck_cipher::Speck128_192);
adapt_reversed!(assay_speck128_256, speck_cipher::Speck128_256);
adapt_reversed!(assay_speck32, speck_cipher::Speck32_64);
adapt_reversed!(assay_speck48_72, speck_cipher::Speck48_72);
adapt_reversed!(assay_speck48_96, speck_cipher::Speck48_96);
adapt_reversed!(assay_speck64_128, speck_cipher::Speck64_128);
adapt_reversed!(assay_speck64_96, speck_cipher::Speck64_96);
adapt_reversed!(assay_speck96_144, speck_cipher::Speck96_144);
adapt_reversed!(assay_speck96_96, speck_cipher::Speck96_96);
adapt!(assay_tdes_128, des::TdesEde2);
adapt!(assay_tdes_192, des::TdesEde3);
adapt_tweaked!(assay_threefish1024, threefish1024, threefish::Threefish1024, 128);
adapt_tweaked!(assay_threefish256, threefish256, threefish::Threefish256, 32);
adapt_tweaked!(assay_threefish512, threefish512, threefish::Threefish512, 64);
adapt!(assay_twofish, twofish::Twofish);
