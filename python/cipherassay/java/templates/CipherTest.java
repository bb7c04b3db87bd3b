{% set given = "tweak, " if tweak else "" %}
{% set of_tweak = "tweak, 0, " if tweak else "" %}
package {{ package }};

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Known answers of {{ cipher.name }}, read from {{ name }}-known-answers.txt, and what the class says of bad arguments. */
class {{ name }}Test {
    private static final int BLOCK = {{ name }}.BLOCK_BYTES;
{% if decrypts and not tweak %}
    private static final int STEPS = 10_000;
{% endif %}

    @ParameterizedTest
    @ValueSource(ints = { {{- key_bits | join(", ") -}} })
    void {{ "encryptsAndDecrypts" if decrypts else "encrypts" }}KnownBlocks(int keyBits) throws IOException {
        final List<String[]> answers = answers("block", keyBits);
        assertTrue(answers.size() > 0, "there are known answers");
        for (String[] answer : answers) {
            final byte[] key = bytes(answer[4]);
            final byte[] plaintext = bytes(answer[5]);
            final byte[] ciphertext = bytes(answer[6]);
{% if tweak %}
            final byte[] tweak = bytes(answer[7]);
{% endif %}
            final {{ name }} cipher = new {{ name }}();
            cipher.encryptKey(key);
            assertArrayEquals(ciphertext, encrypted(cipher, {{ given }}plaintext), () -> "encrypt: " + String.join(" ", answer));
{% if decrypts %}
            cipher.decryptKey(key);
            assertArrayEquals(plaintext, decrypted(cipher, {{ given }}ciphertext), () -> "decrypt: " + String.join(" ", answer));
{% endif %}
        }
    }

{% if decrypts and not tweak %}
    @ParameterizedTest
    @ValueSource(ints = { {{- key_bits | join(", ") -}} })
    void runsTheMonteCarloLoops(int keyBits) throws IOException {
        for (String[] answer : answers("chain", keyBits)) {
            final boolean encrypts = answer[1].endsWith("_e_m");
            final boolean chains = answer[1].startsWith("cbc");
            final {{ name }} cipher = new {{ name }}();
            if (encrypts) {
                cipher.encryptKey(bytes(answer[4]));
            } else {
                cipher.decryptKey(bytes(answer[4]));
            }
            byte[] block = bytes(answer[6]);
            byte[] vector = chains ? bytes(answer[5]) : new byte[BLOCK];
            byte[] last = block;
            for (int n = 0; n < STEPS; n++) {
                if (!chains) {
                    last = encrypts ? encrypted(cipher, last) : decrypted(cipher, last);
                } else if (encrypts) {
                    last = encrypted(cipher, xor(block, vector));
                    block = vector;
                    vector = last;
                } else {
                    last = xor(decrypted(cipher, block), vector);
                    vector = block;
                    block = last;
                }
            }
            assertArrayEquals(bytes(answer[7]), last, () -> String.join(" ", answer));
        }
    }

{% endif %}
    @Test
    void takesBlocksInTheMiddleOfArraysAndInPlace() throws IOException {
        final String[] answer = answers("block", {{ key_bits[0] }}).get(0);
        final {{ name }} cipher = new {{ name }}();
        cipher.encryptKey(bytes(answer[4]));
        final byte[] memory = new byte[BLOCK + 8];
        Arrays.fill(memory, (byte) 0xa5);
        final byte[] expected = memory.clone();
        System.arraycopy(bytes(answer[5]), 0, memory, 3, BLOCK);
        System.arraycopy(bytes(answer[6]), 0, expected, 3, BLOCK);
        cipher.encrypt({{ "bytes(answer[7]), 0, " if tweak }}memory, 3, memory, 3);
        assertArrayEquals(expected, memory);
    }

    @Test
    void refusesWrongKeysAndArrays() throws IOException {
        final {{ name }} cipher = new {{ name }}();
        final byte[] block = new byte[BLOCK];
{% if tweak %}
        final byte[] tweak = new byte[{{ name }}.TWEAK_BYTES];
{% endif %}
        final Exception early = assertThrows(IllegalStateException.class, () -> cipher.encrypt({{ of_tweak }}block, 0, block, 0));
        assertEquals("no key for encryption yet: call encryptKey", early.getMessage());
        assertThrows(IllegalArgumentException.class, () -> cipher.encryptKey(new byte[1]));
{% if decrypts %}
        assertThrows(IllegalArgumentException.class, () -> cipher.decryptKey(new byte[1]));
{% endif %}
        cipher.encryptKey(bytes(answers("block", {{ key_bits[0] }}).get(0)[4]));
        assertThrows(IndexOutOfBoundsException.class, () -> cipher.encrypt({{ of_tweak }}block, 1, block, 0));
        assertThrows(IndexOutOfBoundsException.class, () -> cipher.encrypt({{ of_tweak }}block, 0, block, -1));
{% if tweak %}
        assertThrows(IndexOutOfBoundsException.class, () -> cipher.encrypt(tweak, 1, block, 0, block, 0));
{% endif %}
    }

    private static byte[] encrypted({{ name }} cipher, {{ "byte[] tweak, " if tweak }}byte[] block) {
        final byte[] result = new byte[BLOCK];
        cipher.encrypt({{ of_tweak }}block, 0, result, 0);
        return result;
    }

{% if decrypts %}
    private static byte[] decrypted({{ name }} cipher, {{ "byte[] tweak, " if tweak }}byte[] block) {
        final byte[] result = new byte[BLOCK];
        cipher.decrypt({{ of_tweak }}block, 0, result, 0);
        return result;
    }

{% if not tweak %}
    private static byte[] xor(byte[] a, byte[] b) {
        final byte[] result = new byte[a.length];
        for (int n = 0; n < a.length; n++) {
            result[n] = (byte) (a[n] ^ b[n]);
        }
        return result;
    }

{% endif %}
{% endif %}
    private static byte[] bytes(String hexadecimal) {
        final byte[] result = new byte[hexadecimal.length() / 2];
        for (int n = 0; n < result.length; n++) {
            result[n] = (byte) Integer.parseInt(hexadecimal, 2 * n, 2 * n + 2, 16);
        }
        return result;
    }

    /** The lines of a kind for a key size, in words. */
    private static List<String[]> answers(String kind, int keyBits) throws IOException {
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(
                {{ name }}Test.class.getResourceAsStream("{{ name }}-known-answers.txt"), StandardCharsets.US_ASCII))) {
            return reader.lines()
                .map(line -> line.split(" "))
                .filter(words -> words[0].equals(kind) && words[2].equals(Integer.toString(keyBits)))
                .collect(Collectors.toList());
        }
    }
}
