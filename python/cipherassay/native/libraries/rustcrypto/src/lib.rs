//! RustCrypto's crates behind the measuring loop's interface (assay.h): contexts are Rust values in the caller's memory.

use cipher::consts::{U16, U20, U24, U32};
use cipher::{Array, BlockCipherDecrypt, BlockCipherEncrypt, BlockSizeUser, KeyInit};
use std::os::raw::{c_int, c_void};
use std::{mem, ptr, slice};

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

unsafe extern "C" fn encrypt<C>(ctx: *const c_void, input: *const u8, output: *mut u8)
where
    C: BlockCipherEncrypt + BlockSizeUser<BlockSize = U16>,
{
    let mut block: Array<u8, U16> = ptr::read(input.cast::<[u8; 16]>()).into();
    (*ctx.cast::<C>()).encrypt_block(&mut block);
    ptr::write(output.cast::<[u8; 16]>(), block.into());
}

unsafe extern "C" fn decrypt<C>(ctx: *const c_void, input: *const u8, output: *mut u8)
where
    C: BlockCipherDecrypt + BlockSizeUser<BlockSize = U16>,
{
    let mut block: Array<u8, U16> = ptr::read(input.cast::<[u8; 16]>()).into();
    (*ctx.cast::<C>()).decrypt_block(&mut block);
    ptr::write(output.cast::<[u8; 16]>(), block.into());
}

macro_rules! adapt {
    ($name:ident, $forward:ty, $backward:ty) => {
        #[no_mangle]
        pub static $name: Cipher = Cipher {
            context_bytes: if mem::size_of::<$forward>() > mem::size_of::<$backward>() {
                mem::size_of::<$forward>()
            } else {
                mem::size_of::<$backward>()
            },
            block_bytes: 16,
            encrypt_key: set_key::<$forward>,
            decrypt_key: set_key::<$backward>,
            encrypt: encrypt::<$forward>,
            decrypt: decrypt::<$backward>,
            release: None,
        };
    };
}

// Where the crate has a type per key size, the symbol carries the key size.
adapt!(assay_rijndael_128, aes::Aes128Enc, aes::Aes128Dec);
adapt!(assay_rijndael_192, aes::Aes192Enc, aes::Aes192Dec);
adapt!(assay_rijndael_256, aes::Aes256Enc, aes::Aes256Dec);
adapt!(assay_serpent, serpent::Serpent, serpent::Serpent);
adapt!(assay_twofish, twofish::Twofish, twofish::Twofish);
adapt!(assay_rc6_128, rc6::RC6<u32, U20, U16>, rc6::RC6<u32, U20, U16>);
adapt!(assay_rc6_192, rc6::RC6<u32, U20, U24>, rc6::RC6<u32, U20, U24>);
adapt!(assay_rc6_256, rc6::RC6<u32, U20, U32>, rc6::RC6<u32, U20, U32>);
