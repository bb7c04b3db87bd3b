/**
 * P_MATRIX after s, words of 32 bits.
 *
 * <p>S alone, pairs: 131072 bytes, 4 references, 6 xors, 2 shifts, 2 rotations, 4 narrow references. Generated, do not edit.
 */
public final class E2PairsL01 {
    private static final byte[] BOX_s = box(
        "e1423e814e179efdb43f2cda311ee041ccf3827d7c128ebbe45815d56fe94c4b" +
        "357b5a9a9045bcf879d61b8802abcf64090cf001a4b0f693436386dc11a5838b" +
        "c9d019956aa15c246e5021802fe7530f912204eda6484967ecf7c039cef22dbe" +
        "5d1ce387070d7af4fb32f58cdb8f2596a8eacd336554068d890a5ed9160e716c" +
        "0bff60d22ed3c855c223b774e29bdf772bb93c6213e59434b127849fd7510061" +
        "ad8573030840ef68fe971fdeaf66e8b8aebdb3ebc66b47a9d8a772ee1d7eaab6" +
        "75cbd43069207f375b9d78a3f176fa053d3a44573bcac78a18469cbfba38561a" +
        "924d2629a298109970a0c528c16d14acf95f4fc4c3d1fcddb259e6b536524a2a");

    private static final char[] T0 =
        chars(new byte[][] {BOX_s, BOX_s}, new int[][] {{1, 0}, {0, 1}});

    private E2PairsL01() {}

    /**
     * Words to words, the bytes of each from the least significant to the most.
     *
     * @param x bytes 1 2 3 4 5 6 7 8 of the layer; a word is 32 bits
     * @param y bytes 1 2 3 4 5 6 7 8 of the result; it may be x
     */
    public static void layer(int[] x, int[] y) {
        final int x0 = x[0];
        final int x1 = x[1];
        final int v0 = T0[x0 & 0xffff];
        final int v1 = T0[x0 >>> 16];
        final int v2 = v1 << 16;
        final int v3 = v0 ^ v2;
        final int v4 = T0[x1 & 0xffff];
        final int v5 = T0[x1 >>> 16];
        final int v6 = v5 << 16;
        final int v7 = v4 ^ v6;
        final int v8 = v3 ^ v7;
        final int v9 = Integer.rotateLeft(v8, 16);
        final int v10 = v3 ^ v9;
        final int v11 = Integer.rotateLeft(v10, 8);
        final int v12 = v8 ^ v11;
        final int v13 = v10 ^ v12;
        y[0] = v13;
        y[1] = v12;
    }

    private static byte[] box(String hexadecimal) {
        final byte[] box = new byte[256];
        for (int n = 0; n < 256; n++) {
            box[n] = (byte) Integer.parseInt(hexadecimal.substring(2 * n, 2 * n + 2), 16);
        }
        return box;
    }

    /** Entries whose bytes, the least significant first, are sums of factors times S-boxes of the index's bytes. */
    private static char[] chars(byte[][] boxes, int[][] factors) {
        final char[] table = new char[1 << 8 * boxes.length];
        for (int n = 0; n < table.length; n++) {
            for (int place = 0; place < factors.length; place++) {
                table[n] |= sum(boxes, factors[place], n) << 8 * place;
            }
        }
        return table;
    }

    private static int sum(byte[][] boxes, int[] factors, int index) {
        int sum = 0;
        for (int n = 0; n < boxes.length; n++) {
            sum ^= product(factors[n], boxes[n][index >>> 8 * n & 0xff] & 0xff);
        }
        return sum;
    }

    /** A product in GF(2^8) modulo 0x11b. */
    private static int product(int a, int b) {
        int product = 0;
        for (int bit = 7; bit >= 0; bit--) {
            product = product << 1 ^ (product >>> 7) * 0x11b;
            product ^= (a >>> bit & 1) * b;
        }
        return product;
    }
}
