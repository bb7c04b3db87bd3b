package cipherassay;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * The block cipher RC6.
 *
 * <p>Generated, do not edit. One object holds one key, which blocks only read: after a key is set, several threads may
 * encrypt and decrypt by one object.
 *
 * <ul>
 * <li>Strategy: direct.
 * <li>As described.
 * <li>Source: [RRSY98]. Key sizes: 128 bits.
 * <li>Constant time, key setup: yes, given a processor with constant-time variable rotation.
 * <li>Constant time, encryption and decryption: yes, given a processor with constant-time multiplication and variable rotation.
 * </ul>
 * What is said of constant time holds for the operations as written; a virtual machine promises nothing.
 */
public final class RC6 {
    /** Bytes of a block. */
    public static final int BLOCK_BYTES = 16;

    private final int[] S = new int[44];
    /** What the keys serve: 0 nothing yet, 1 encryption, 2 decryption, 3 both. */
    private int ready;

    /**
     * Makes the round keys for encryption and decryption.
     *
     * @param key 128 bits
     * @throws IllegalArgumentException if the key has another size
     */
    public void encryptKey(byte[] key) {
        ready = 0;
        switch (8 * key.length) {
        case 128:
            key_schedule(key, S);
            break;
        default:
            throw new IllegalArgumentException(
                "RC6 has keys of 128 bits, this one has " + 8 * key.length);
        }
        ready = 3;
    }

    /**
     * Makes the round keys for decryption and encryption.
     *
     * @param key 128 bits
     * @throws IllegalArgumentException if the key has another size
     */
    public void decryptKey(byte[] key) {
        encryptKey(key);
    }

    /**
     * Encrypts one block of 16 bytes. Input and output may be the same place, but not overlap otherwise.
     *
     * @throws IllegalStateException if there is no key for it yet
     * @throws IndexOutOfBoundsException if an array ends before the block does
     */
    public void encrypt(byte[] in, int inOffset, byte[] out, int outOffset) {
        if ((ready & 1) == 0) {
            throw new IllegalStateException("no key for encryption yet: call encryptKey");
        }
        Objects.checkFromIndexSize(inOffset, 16, in.length);
        Objects.checkFromIndexSize(outOffset, 16, out.length);
        encrypt(S, in, inOffset, out, outOffset);
    }

    /**
     * Decrypts one block of 16 bytes. Input and output may be the same place, but not overlap otherwise.
     *
     * @throws IllegalStateException if there is no key for it yet
     * @throws IndexOutOfBoundsException if an array ends before the block does
     */
    public void decrypt(byte[] in, int inOffset, byte[] out, int outOffset) {
        if ((ready & 2) == 0) {
            throw new IllegalStateException("no key for decryption yet: call decryptKey");
        }
        Objects.checkFromIndexSize(inOffset, 16, in.length);
        Objects.checkFromIndexSize(outOffset, 16, out.length);
        decrypt(S, in, inOffset, out, outOffset);
    }

    private static final VarHandle WORDS32_LE =
        MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    private static int load32_le(byte[] p, int n) {
        return (int) WORDS32_LE.get(p, n);
    }

    private static void store32_le(byte[] p, int n, int x) {
        WORDS32_LE.set(p, n, x);
    }

    private static void key_schedule(byte[] key, int[] S) {
        final int[] L = new int[4];  // rc6.py:11
        L[0] = load32_le(key, 0);  // rc6.py:12
        L[1] = load32_le(key, 4);
        L[2] = load32_le(key, 8);
        L[3] = load32_le(key, 12);
        S[0] = 0xb7e15163;  // rc6.py:14
        for (int i = 1; i < 44; i++) {
            S[i] = S[i - 1] + 0x9e3779b9;  // rc6.py:16
        }
        int A = 0;  // rc6.py:18
        int B = 0;
        for (int s = 0; s < 132; s++) {
            final int A_1 = Integer.rotateLeft(S[s % 44] + A + B, 3);  // rc6.py:19
            S[s % 44] = A_1;
            final int B_1 = Integer.rotateLeft(L[s % 4] + A_1 + B, A_1 + B);  // rc6.py:20
            L[s % 4] = B_1;
            A = A_1;
            B = B_1;
        }
    }

    private static void encrypt(int[] S, byte[] plaintext, int plaintextOffset, byte[] out, int outOffset) {
        int A = load32_le(plaintext, plaintextOffset);  // rc6.py:28
        int B = load32_le(plaintext, plaintextOffset + 4) + S[0];
        int C = load32_le(plaintext, plaintextOffset + 8);
        int D = load32_le(plaintext, plaintextOffset + 12) + S[1];
        for (int i = 1; i < 21; i++) {
            final int t = Integer.rotateLeft(B * (2 * B + 1), 5);  // rc6.py:29
            final int u = Integer.rotateLeft(D * (2 * D + 1), 5);  // rc6.py:30
            final int A_next = B;
            B = Integer.rotateLeft(C ^ u, t) + S[2 * i + 1];
            C = D;
            D = Integer.rotateLeft(A ^ t, u) + S[2 * i];
            A = A_next;
        }
        store32_le(out, outOffset, A + S[42]);
        store32_le(out, outOffset + 4, B);
        store32_le(out, outOffset + 8, C + S[43]);
        store32_le(out, outOffset + 12, D);
    }

    private static void decrypt(int[] S, byte[] ciphertext, int ciphertextOffset, byte[] out, int outOffset) {
        int A = load32_le(ciphertext, ciphertextOffset) - S[42];  // rc6.py:43
        int B = load32_le(ciphertext, ciphertextOffset + 4);
        int C = load32_le(ciphertext, ciphertextOffset + 8) - S[43];
        int D = load32_le(ciphertext, ciphertextOffset + 12);
        for (int i = 20; i >= 1; i--) {
            final int u = Integer.rotateLeft(C * (2 * C + 1), 5);  // rc6.py:45
            final int t = Integer.rotateLeft(A * (2 * A + 1), 5);  // rc6.py:46
            final int A_next = Integer.rotateRight(D - S[2 * i], u) ^ t;
            D = C;
            C = Integer.rotateRight(B - S[2 * i + 1], t) ^ u;
            B = A;
            A = A_next;
        }
        store32_le(out, outOffset, A);
        store32_le(out, outOffset + 4, B - S[0]);
        store32_le(out, outOffset + 8, C);
        store32_le(out, outOffset + 12, D - S[1]);
    }
}
