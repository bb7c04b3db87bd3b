package {{ package }};

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
{% if not function %}
import java.util.Arrays;
{% endif %}
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Known answers of {{ cipher.name }}, read from {{ name }}-known-answers.txt, and what the class says of bad arguments. */
class {{ name }}Test {
    private static final int BLOCK = {{ name }}.BLOCK_BYTES;
{% if output != "BLOCK" %}
    private static final int OUTPUT = {{ name }}.OUTPUT_BYTES;
{% endif %}

    @Test
    void {{ forward }}sKnown{{ "Inputs" if function else "States" }}() throws IOException {
        assertTrue(answers().size() > 0, "there are known answers");
        for (String[] answer : answers()) {
            final byte[] result = new byte[{{ output }}];
{% if keyed %}
            final {{ name }} subject = new {{ name }}();
            subject.{{ forward }}Key(bytes(answer[4]));
            subject.{{ forward }}(bytes(answer[5]), 0, result, 0);
{% else %}
            {{ name }}.{{ forward }}(bytes(answer[5]), 0, result, 0);
{% endif %}
            assertArrayEquals(bytes(answer[6]), result, () -> "{{ forward }}: " + String.join(" ", answer));
{% if backward %}
            {{ name }}.{{ backward }}(bytes(answer[6]), 0, result, 0);
            assertArrayEquals(bytes(answer[5]), result, () -> "{{ backward }}: " + String.join(" ", answer));
{% endif %}
        }
    }

{% if function %}
    @Test
    void refusesWrong{{ "KeysAnd" if keyed else "" }}Arrays() {
{% if keyed %}
        final {{ name }} subject = new {{ name }}();
        assertThrows(IllegalStateException.class, () -> subject.{{ forward }}(new byte[BLOCK], 0, new byte[{{ output }}], 0));
        assertThrows(IllegalArgumentException.class, () -> subject.{{ forward }}Key(new byte[1]));
        subject.{{ forward }}Key(new byte[{{ key_bits[0] // 8 }}]);
        assertThrows(IndexOutOfBoundsException.class, () -> subject.{{ forward }}(new byte[BLOCK], 0, new byte[{{ output }} - 1], 0));
{% else %}
        assertThrows(IndexOutOfBoundsException.class, () -> {{ name }}.{{ forward }}(new byte[BLOCK], 0, new byte[{{ output }} - 1], 0));
{% endif %}
    }

{% else %}
    @Test
    void takesStatesInTheMiddleOfArraysAndInPlace() throws IOException {
        final String[] answer = answers().get(0);
        final byte[] memory = new byte[BLOCK + 8];
        Arrays.fill(memory, (byte) 0xa5);
        final byte[] expected = memory.clone();
        System.arraycopy(bytes(answer[5]), 0, memory, 3, BLOCK);
        System.arraycopy(bytes(answer[6]), 0, expected, 3, BLOCK);
        {{ name }}.{{ forward }}(memory, 3, memory, 3);
        assertArrayEquals(expected, memory);
    }

    @Test
    void refusesWrongArrays() {
        final byte[] state = new byte[BLOCK];
        assertThrows(IndexOutOfBoundsException.class, () -> {{ name }}.{{ forward }}(state, 1, state, 0));
        assertThrows(IndexOutOfBoundsException.class, () -> {{ name }}.{{ forward }}(state, 0, state, -1));
    }

{% endif %}
    private static byte[] bytes(String hexadecimal) {
        final byte[] result = new byte[hexadecimal.length() / 2];
        for (int n = 0; n < result.length; n++) {
            result[n] = (byte) Integer.parseInt(hexadecimal, 2 * n, 2 * n + 2, 16);
        }
        return result;
    }

    /** The lines of states, in words. */
    private static List<String[]> answers() throws IOException {
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(
                {{ name }}Test.class.getResourceAsStream("{{ name }}-known-answers.txt"), StandardCharsets.US_ASCII))) {
            return reader.lines()
                .map(line -> line.split(" "))
                .filter(words -> words[0].equals("block"))
                .collect(Collectors.toList());
        }
    }
}
