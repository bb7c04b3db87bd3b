import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Runs layouts: on given words, or again and again, each result the next input, with the time that takes. */
public final class Layouts {
    private static final int WORDS = {{ words }};
    private static final int RUNS = {{ runs }};

    private interface Loop {
        void run({{ word }}[] x, int times);
    }

    private static final String[] NAMES = {
{% for name in names %}
        "{{ name }}",
{% endfor %}
    };

    private static final Loop[] LOOPS = {
{% for name in names %}
        (x, times) -> {
            for (int n = 0; n < times; n++) {
                {{ name }}.layer(x, x);
            }
        },
{% endfor %}
    };

    private Layouts() {}

    /** {@code answers INPUTS OUTPUTS COUNT}, or {@code times WARM-UP-MILLISECONDS SAMPLES}. */
    public static void main(String[] arguments) throws IOException {
        if (arguments[0].equals("answers")) {
            answers(Path.of(arguments[1]), Path.of(arguments[2]), Integer.parseInt(arguments[3]));
        } else {
            times(Integer.parseInt(arguments[1]), Integer.parseInt(arguments[2]));
        }
    }

    /** Words are eight bytes each, the most significant first; the inputs of each layout after those of the one before. */
    private static void answers(Path inputs, Path outputs, int count) throws IOException {
        try (DataInputStream in = new DataInputStream(new java.io.BufferedInputStream(Files.newInputStream(inputs)));
                DataOutputStream out = new DataOutputStream(new java.io.BufferedOutputStream(Files.newOutputStream(outputs)))) {
            final {{ word }}[] x = new {{ word }}[WORDS];
            for (Loop loop : LOOPS) {
                for (int n = 0; n < count; n++) {
                    for (int word = 0; word < {{ inputs }}; word++) {
                        x[word] = ({{ word }}) in.readLong();
                    }
                    loop.run(x, 1);
                    for (int word = 0; word < {{ outputs }}; word++) {
                        out.writeLong(x[word]{{ " & 0xffffffffL" if word == "int" else "" }});
                    }
                }
            }
        }
    }

    /** Prints for each layout the nanoseconds of one evaluation: of many short runs the least. */
    private static void times(int warmUp, int samples) {
        for (int n = 0; n < LOOPS.length; n++) {
            final {{ word }}[] x = new {{ word }}[WORDS];
            final long end = System.nanoTime() + 1_000_000L * warmUp;
            while (System.nanoTime() < end) {
                LOOPS[n].run(x, RUNS);
            }
            long least = Long.MAX_VALUE;
            for (int sample = 0; sample < samples; sample++) {
                final long start = System.nanoTime();
                LOOPS[n].run(x, RUNS);
                least = Math.min(least, System.nanoTime() - start);
            }
            System.out.println(NAMES[n] + " " + (double) least / RUNS);
        }
    }
}
