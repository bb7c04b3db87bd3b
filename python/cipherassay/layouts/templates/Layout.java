{% if is_wide and bits > 8 %}
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

{% endif %}
/**
 * {{ layer.name }} after {{ layer.boxes | unique | join(', ') }}, words of {{ bits }} bits.
 *
 * <p>{{ layout.name }}. Generated, do not edit.
 */
public final class {{ name }} {
{% for box, rows in boxes %}
    private static final byte[] {{ box }} = box(
{% for row in rows %}
        "{{ row }}"{{ ");" if loop.last else " +" }}
{% endfor %}

{% endfor %}
{% for number, type, names, factors in tables %}
    private static final {{ type }}[] T{{ number }} =
        {{ type }}s(new byte[][] { {{- names -}} }, new int[][] { {{- factors -}} });
{% endfor %}
{% if is_wide and bits > 8 %}

    private static final VarHandle WORDS =
        MethodHandles.byteArrayViewVarHandle({{ "short" if bits == 16 else word }}[].class, ByteOrder.LITTLE_ENDIAN);
{% endif %}

    private {{ name }}() {}

    /**
     * Words to words, the bytes of each from the least significant to the most.
     *
     * @param x bytes {{ inputs | join(' ') }} of the layer; a word is {{ bits }} bits
     * @param y bytes {{ outputs | join(' ') }} of the result; it may be x
     */
    public static void layer({{ word }}[] x, {{ word }}[] y) {
{% for n in words %}
        final {{ word }} x{{ n }} = x[{{ n }}];
{% endfor %}
{% for step in steps %}
        {{ step }}
{% endfor %}
{% for output in layout.outputs %}
        y[{{ loop.index0 }}] = v{{ output }};
{% endfor %}
    }

    private static byte[] box(String hexadecimal) {
        final byte[] box = new byte[256];
        for (int n = 0; n < 256; n++) {
            box[n] = (byte) Integer.parseInt(hexadecimal.substring(2 * n, 2 * n + 2), 16);
        }
        return box;
    }
{% for type in types %}

    /** Entries whose bytes, the least significant first, are sums of factors times S-boxes of the index's bytes. */
    private static {{ type }}[] {{ type }}s(byte[][] boxes, int[][] factors) {
{% if type == "byte" %}
        final int size = factors.length;
        final byte[] table = new byte[size << 8 * boxes.length];
        for (int n = 0; n < table.length; n++) {
            table[n] = (byte) sum(boxes, factors[n % size], n / size);
        }
{% else %}
        final {{ type }}[] table = new {{ type }}[1 << 8 * boxes.length];
        for (int n = 0; n < table.length; n++) {
            for (int place = 0; place < factors.length; place++) {
                table[n] |= {{ "(long) " if type == "long" }}sum(boxes, factors[place], n) << 8 * place;
            }
        }
{% endif %}
        return table;
    }
{% endfor %}

    private static int sum(byte[][] boxes, int[] factors, int index) {
        int sum = 0;
        for (int n = 0; n < boxes.length; n++) {
            sum ^= product(factors[n], boxes[n][index >>> 8 * n & 0xff] & 0xff);
        }
        return sum;
    }

    /** A product in GF(2^8) modulo {{ "0x%x" % layer.polynomial }}. */
    private static int product(int a, int b) {
        int product = 0;
        for (int bit = 7; bit >= 0; bit--) {
            product = product << 1 ^ (product >>> 7) * {{ "0x%x" % layer.polynomial }};
            product ^= (a >>> bit & 1) * b;
        }
        return product;
    }
}
