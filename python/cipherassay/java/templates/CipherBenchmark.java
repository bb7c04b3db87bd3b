package {{ package }};

import java.util.concurrent.TimeUnit;
{% if rival %}
import org.bouncycastle.crypto.engines.{{ rival.engine }};
import org.bouncycastle.crypto.params.KeyParameter;
{% endif %}
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Blocks chained, each the output of the last; keys that differ in a byte from one to the next. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class CipherBenchmark {
    private static final int CALLS = 32;

    @Param({})
    public int keyBits;

    private final byte[] block = new byte[{{ name }}.{{ "OUTPUT" if output == "OUTPUT" else "BLOCK" }}_BYTES];
{% if keyed %}
    private byte[][] keys;
{% if tweak %}
    private final byte[] tweak = new byte[{{ name }}.TWEAK_BYTES];
{% endif %}
    private final {{ name }} encrypts = new {{ name }}();
{% if decrypts %}
    private final {{ name }} decrypts = new {{ name }}();
{% endif %}
{% if rival %}
    private final {{ rival.engine }} rivalEncrypts = {{ rival.make }};
    private final {{ rival.engine }} rivalDecrypts = {{ rival.make }};
{% endif %}

    @Setup
    public void prepare() {
        keys = new byte[CALLS][keyBits / 8];
        for (int n = 0; n < CALLS; n++) {
            for (int place = 0; place < keyBits / 8; place++) {
                keys[n][place] = (byte) (17 * place + (place == 0 ? n : 3));
            }
        }
        encrypts.{{ forward }}Key(keys[0]);
{% if decrypts %}
        decrypts.decryptKey(keys[0]);
{% endif %}
{% if rival %}
        rivalEncrypts.init(true, new KeyParameter(keys[0]));
        rivalDecrypts.init(false, new KeyParameter(keys[0]));
{% endif %}
    }
{% endif %}
{% for operation, ours, theirs in operations %}

    @Benchmark
    @OperationsPerInvocation(CALLS)
    public Object generated_{{ operation }}() {
        for (int n = 0; n < CALLS; n++) {
            {{ ours }};
        }
        return block;
    }
{% if rival %}

    @Benchmark
    @OperationsPerInvocation(CALLS)
    public Object rival_{{ operation }}() {
        for (int n = 0; n < CALLS; n++) {
            {{ theirs }};
        }
        return block;
    }
{% endif %}
{% endfor %}
}
