package {{ package }};

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
{% if rival %}
import org.bouncycastle.crypto.engines.{{ rival.engine }};
import org.bouncycastle.crypto.params.KeyParameter;
{% endif %}

/** Runs the known answers of a file; says how many were right, or which one was wrong. */
public final class Check {
    private static final int BLOCK = {{ name }}.BLOCK_BYTES;
{% if output != "BLOCK" %}
    private static final int OUTPUT = {{ name }}.OUTPUT_BYTES;
{% endif %}
    private static final int STEPS = 10_000;

    /** One implementation. */
    private interface Subject {
        void key(byte[] key, boolean encrypts);

        void block(byte[] in, byte[] out, boolean encrypts);
    }

    private Check() {
    }

    /** Arguments: generated{% if rival %} or rival{% endif %}, and the file. */
    public static void main(String[] arguments) throws Exception {
        final Subject subject = subject(arguments[0]);
        int right = 0;
        for (String line : Files.readAllLines(Path.of(arguments[1]))) {
            if (line.startsWith("#")) {
                continue;
            }
            final String found = difference(subject, line.split(" "));
            if (found != null) {
                System.out.println("wrong: " + line + ": found " + found);
                return;
            }
            right++;
        }
        System.out.println("right: " + right);
    }

    private static Subject subject(String name) {
{% if rival %}
        if (name.equals("rival")) {
            return new Subject() {
                private final {{ rival.engine }} cipher = {{ rival.make }};

                public void key(byte[] key, boolean encrypts) {
                    cipher.init(encrypts, new KeyParameter(key));
                }

                public void block(byte[] in, byte[] out, boolean encrypts) {
                    cipher.processBlock(in, 0, out, 0);
                }
            };
        }
{% endif %}
        return new Subject() {
{% if not keyed %}
            public void key(byte[] key, boolean encrypts) {
            }

            public void block(byte[] in, byte[] out, boolean encrypts) {
                if (encrypts) {
                    {{ name }}.{{ forward }}(in, 0, out, 0);
                } else {
{% if backward %}
                    {{ name }}.{{ backward }}(in, 0, out, 0);
{% else %}
                    throw new IllegalArgumentException("{{ name }} has no inverse");
{% endif %}
                }
            }
{% else %}
            private final {{ name }} cipher = new {{ name }}();

            public void key(byte[] key, boolean encrypts) {
                if (encrypts) {
                    cipher.{{ forward }}Key(key);
                } else {
{% if decrypts %}
                    cipher.decryptKey(key);
{% else %}
                    throw new IllegalArgumentException("{{ name }} only encrypts");
{% endif %}
                }
            }

            public void block(byte[] in, byte[] out, boolean encrypts) {
                if (encrypts) {
                    cipher.{{ forward }}({{ "in, BLOCK, " if tweak }}in, 0, out, 0);
                } else {
{% if decrypts %}
                    cipher.decrypt({{ "in, BLOCK, " if tweak }}in, 0, out, 0);
{% else %}
                    throw new IllegalArgumentException("{{ name }} only encrypts");
{% endif %}
                }
            }
{% endif %}
        };
    }

    /** What a line's answer is instead of the expected one, in hexadecimal; null if it is right. */
    private static String difference(Subject subject, String[] words) {
        final byte[] key = bytes(words[4]);
        if (words[0].equals("chain")) {
            return other(chain(subject, words, key), words[7]);
        }
        final byte[] result = new byte[{{ output }}];
        subject.key(key, true);
        subject.block({{ "bytes(words[5] + words[7])" if tweak else "bytes(words[5])" }}, result, true);
        final String encrypted = other(result, words[6]);
        if (encrypted != null) {
            return encrypted;
        }
{% if decrypts or backward %}
        subject.key(key, false);
        subject.block({{ "bytes(words[6] + words[7])" if tweak else "bytes(words[6])" }}, result, false);
        return other(result, words[5]);
{% else %}
        return null;
{% endif %}
    }

    /** The end of one of NIST's Monte Carlo loops. */
    private static byte[] chain(Subject subject, String[] words, byte[] key) {
        final boolean encrypts = words[1].endsWith("_e_m");
        final boolean chains = words[1].startsWith("cbc");
        subject.key(key, encrypts);
        byte[] block = bytes(words[6]);
        byte[] vector = chains ? bytes(words[5]) : new byte[BLOCK];
        for (int n = 0; n < STEPS; n++) {
            final byte[] output = new byte[BLOCK];
            subject.block(encrypts ? xor(block, vector) : block, output, encrypts);
            final byte[] last = encrypts ? output : xor(output, vector);
            final byte[] before = encrypts ? vector : block;
            block = chains && encrypts ? before : last;
            vector = chains ? (encrypts ? last : before) : vector;
            if (n == STEPS - 1) {
                return last;
            }
        }
        return block;
    }

    private static String other(byte[] found, String expected) {
        return Arrays.equals(found, bytes(expected)) ? null : hexadecimal(found);
    }

    private static byte[] xor(byte[] a, byte[] b) {
        final byte[] result = new byte[a.length];
        for (int n = 0; n < a.length; n++) {
            result[n] = (byte) (a[n] ^ b[n]);
        }
        return result;
    }

    private static byte[] bytes(String text) {
        final byte[] result = new byte[text.length() / 2];
        for (int n = 0; n < result.length; n++) {
            result[n] = (byte) Integer.parseInt(text, 2 * n, 2 * n + 2, 16);
        }
        return result;
    }

    private static String hexadecimal(byte[] bytes) {
        final StringBuilder text = new StringBuilder();
        for (byte one : bytes) {
            text.append(String.format("%02x", one));
        }
        return text.toString();
    }
}
