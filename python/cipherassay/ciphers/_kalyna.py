"""The functions of Kalyna. R. Oliynykov et al.: A New Encryption Standard of Ukraine: The Kalyna Block Cipher, ePrint 2015/650."""

from cipherassay.lang import *

PI = [                                               # the S-boxes pi_0 to pi_3, as printed
    table(u8, bytes.fromhex(
        "A8435F066B756C5971DF879517F0D8096DF31DCBC94D2CAF79E097FD6F4B45393EDDA34FB4B69A0E1FBF15E149D293C692729E61D163FAEEF419D5AD58A4BBA1"
        "DCF2833742E47A329CCCAB4A8F6E04272EE7E25A9616232BC265660FBCA947413448FCB76A88A55386F95BDB387BC31E2233242836C7B23B8E77BAF5149F0855"
        "9B4CFE605CDA1846CD7D21B03F1B89FFEB84693A9DD7D3706740B5DE5D3091B1781101E5006898A0C502A6742D0BA276B3BECEBDAEE98A311CECF19994AAF626"
        "2FEFE88C3503D47FFB05C15E90203D82F7EA0A0D7EF8501AC40757B83C62E3C8AC526410D0D9130C122951B9CFD6738D8154C0ED4E44A72A8525E6CA7C8B5680")),
    table(u8, bytes.fromhex(
        "CEBBEB92EACB13C1E93AD6B2D29017F8421556B4651C8843C55C36BAF557678D31F664589EF422AA750F02B1DF6D734D7C262EF7085D443E9F14C8AE5410D8BC"
        "1A6B69F3BD33ABFAD19B684E169591EE4C638E5BCC3C19A181497BD96F3760CAE72B48FD9645FC41120D79E5898CE32030DCB76C4AB53F97D4622D06A4A5835F"
        "2ADAC9007EA255BF11D59CCF0E0A3D517D931BFEC44709860B8F9D6A07B9B0981832714BEF3B70A0E440FFC3A9E678F98B46801E38E1B8A8E00C23761D252405"
        "F16E94289A84E8A34F77D385E252F282507A2F7453B361AF3935DECD1F99ACAD722CDDD087BE5EA6EC04C60334FBDB59B6C201F05AEDA766217F8A27C7C029D7")),
    table(u8, bytes.fromhex(
        "93D99AB5982245FCBA6ADF029FDC51594A172BC294F4BBA362E471D4CD7016E1493CC0D85C9BAD8553A17AC82DE0D172A62CC4E37678B7B4093B0E414CDEB290"
        "25A5D7031100C32E92EF4E129D7DCB3510D54F9E4DA955C6D07B1897D336E64856818F77CC9CB9E2ACB82F15A47CDA381E0B05D6146E6C7E66FDB1E560AF5E33"
        "87C9F05D6D3F888DC7F71DE9ECED802927CF99A8500F3724283095D23E5B4083B369571F071C8ABC20EBCE8EABEE31A273F9CA3A1AFB0DC1FEFAF26FBD96DD43"
        "52B608F3AEBE19893226B0EA4B6484826BF579BF015F75631B233D682A65E891F6FF1358F1470A7FC5A7E7615A0646444204A0DB398654AA8C34218BF80C7467")),
    table(u8, bytes.fromhex(
        "688DCA4D734B4E2AD45226B3541E191F2203463D2D4A5383138AB7D52579F5BD582F0D02ED519E11F23E555ED1163C66705DF34540CCE8945608CE1A3AD2E1DF"
        "B5386E0EE5F4F986E94FD68523CF32993114AEEEC848D330A19241B118C42C71724415FD37BE5FAA9B88D8AB899CFA60EABC620C24A6A8EC6720DB7C28DDAC5B"
        "347E10F17B8F63A0059A437721BF2709C39FB6D729C2EBC0A48B8C1DFBFFC1B2972EF865F67507044933E4D9B9D042C76C90008E6F5001C5DA473FCD69A2E27A"
        "A7C6930F0A06E62B96A31CAF6A128439E7B082F7FE9D875C8135DEB4A5FC80EFCBBB6B76BA5A7D780B95E3AD74983B36646DDCF059A94C177F91B8C9571BE061"))]
F = GF(0x11D)
V = [1, 1, 5, 1, 8, 6, 7, 4]
PSI = F.circulant(V)                                 # psi: each row is V moved on by one
ROUNDS = {128: 10, 256: 14, 512: 18}                 # rounds t by bits of the key


def add_kalyna(cipher):
    """Give a cipher the functions of Kalyna for its block: a state of 8 rows, c columns of 64 bits, the first byte of each the lowest."""
    c = cipher.block_bits // 64
    tau = [i % 8 + (i // 8 - i % 8 * c // 8) % c * 8 for i in range(8 * c)]   # tau: row i moves i c / 8 columns to the right
    tau_inv = [tau.index(i) for i in range(8 * c)]

    def pi(x, inverse=False):                            # pi: the row i goes through pi_(i mod 4)
        return vec(*[(PI[i % 4].inverse if inverse else PI[i % 4])[b] for i, b in enumerate(x)])

    @function
    def tau_pi_psi(state):                               # the layers of a round: pi, tau, psi
        return le_words(PSI.columns(pi(le_bytes(state))[tau]), 64)

    def inverse_layers(state):
        return le_words(pi(PSI.inverse.columns(le_bytes(state))[tau_inv], inverse=True), 64)

    def add_xor_add(state, a, b):                        # three rounds: a is added, b XORed, a added
        return tau_pi_psi(tau_pi_psi(tau_pi_psi(state + a) ^ b) + a)

    @cipher.key_schedule                                 # key schedule: K_sigma, then the keys of even, then of odd index
    def key_schedule(key):
        k = len(key) // 8
        t = ROUNDS[64 * k]
        words = le_words(key, 64)
        constant = vec(u64, c + k + 1, *[0] * (c - 1))
        K_sigma = add_xor_add(constant, words[:c], words[k - c:])
        K, halves = array(u64, t + 1, c), ring(u64, k)
        halves[:] = words
        for i in rounds(t // 2 + 1):
            s = i if k == c else i // 2                  # the key turns by s words; twice as long, its halves serve in turn
            first = s if k == c else s + c * (i % 2)
            tmv = K_sigma + vec(*[u64(0x0001000100010001) << i] * c)
            state = tau_pi_psi(vec(*[halves[first + j] for j in range(c)]) + tmv)
            K[2 * i] = tau_pi_psi(state ^ tmv) + tmv
        for i in rounds(t // 2):
            K[2 * i + 1] = le_words(le_bytes(K[2 * i]).rotate(2 * c + 3), 64)
        return K

    @cipher.encrypt                                      # encryption: the first and the last key are added, the others XORed
    def encrypt(K, plaintext):
        t = len(K) - 1
        state = le_words(plaintext, 64) + K[0]
        for i in rounds(1, t):
            state = tau_pi_psi(state) ^ K[i]
        return le_bytes(tau_pi_psi(state) + K[t])

    @cipher.decrypt                                      # decryption: the inverse of each step, in reverse order
    def decrypt(K, ciphertext):
        t = len(K) - 1
        state = inverse_layers(le_words(ciphertext, 64) - K[t])
        for i in rounds(t - 1, 0, -1):
            state = inverse_layers(state ^ K[i])
        return le_bytes(state - K[0])

    def psi_inverse(state):                              # psi^-1 alone, by the products with pi^-1 that the rounds take
        return psi_inverse_pi_inverse(pi(state))

    def psi_inverse_pi_inverse(state):
        return le_words(PSI.inverse.columns(pi(state, inverse=True)), 64)

    @cipher.key_schedule_decrypt(form="equivalent-inverse")  # psi^-1 of the XORed keys
    def inverse_keys(key):
        K = key_schedule(key)
        t = len(K) - 1
        D = array(u64, t + 1, c)
        D[0], D[t] = K[0], K[t]
        for i in steps(1, t):
            D[i] = psi_inverse(le_bytes(K[i]))
        return D

    @cipher.decrypt(form="equivalent-inverse")           # the same with psi^-1, which is linear, behind pi^-1
    def equivalent_decrypt(D, ciphertext):
        t = len(D) - 1
        state = psi_inverse(le_bytes(le_words(ciphertext, 64) - D[t]))
        for i in rounds(t - 1, 0, -1):
            state = psi_inverse_pi_inverse(le_bytes(state)[tau_inv]) ^ D[i]
        return le_bytes(le_words(pi(le_bytes(state)[tau_inv], inverse=True), 64) - D[0])
