//! The public face of an emitted class: key setup, encryption and decryption for all key sizes.

use program::ir::Program;

use crate::writer::api::{only_key, Keys};
use crate::writer::unit::Unit;

use super::types::{memory_type, table_entry, value_type};

/// The class's members and public methods; its functions are written into the unit.
pub fn face(class: &str, keys: &Keys<'_>, unit: &mut Unit) -> (String, String) {
    let face = Face { class, keys };
    let mut text = if keys.keyed() { face.key_setups(unit) } else { face.no_objects() };
    for (role, members) in keys.directions() {
        let names = face.names_in(unit, role);
        text += &face.block_method(role, &names, members);
    }
    (face.members(), text)
}

struct Face<'a> {
    class: &'a str,
    keys: &'a Keys<'a>,
}

impl Face<'_> {
    fn members(&self) -> String {
        let mut text = format!(
            "    /** Bytes of a block. */\n    public static final int BLOCK_BYTES = {};\n\n",
            self.keys.block_bytes(self.keys.roles.0)
        );
        if self.keys.tweak_bytes() > 0 {
            text = text.trim_end().to_owned();
            let bytes = self.keys.tweak_bytes();
            text += &format!("\n    /** Bytes of a tweak. */\n    public static final int TWEAK_BYTES = {bytes};\n\n");
        }
        let output = self.keys.result_bytes(self.keys.roles.0);
        if output != self.keys.block_bytes(self.keys.roles.0) {
            text = text.trim_end().to_owned();
            text +=
                &format!("\n    /** Bytes of an output. */\n    public static final int OUTPUT_BYTES = {output};\n\n");
        }
        if !self.keys.keyed() {
            return text;
        }
        for m in &self.keys.members {
            text += &match m.length {
                Some(n) => {
                    let word = memory_type(m.width);
                    format!("    private final {word}[] {} = new {word}[{n}];\n", m.name)
                }
                None => format!("    private {} {};\n", value_type(m.width), m.name),
            };
        }
        text += "    /** What the keys serve: 0 nothing yet, 1 encryption, 2 decryption, 3 both. */\n    private int ready;\n";
        if self.keys.sizes.len() > 1 {
            text += "    private int keyBits;\n";
        }
        text + "\n"
    }

    /// What has no key needs no objects: its methods are static.
    fn no_objects(&self) -> String {
        format!("    private {}() {{\n    }}\n\n", self.class)
    }

    fn sizes(&self) -> String {
        let sizes: Vec<String> = self.keys.sizes.iter().map(|s| s.key_bits.to_string()).collect();
        match sizes.split_last() {
            Some((last, [])) => last.clone(),
            Some((last, others)) => format!("{} or {last}", others.join(", ")),
            None => String::new(),
        }
    }

    fn key_setups(&self, unit: &mut Unit) -> String {
        let own = self.keys.has_own_decryption();
        let both = self.keys.decrypts() && !own;
        let serves = match (both, self.keys.roles.1) {
            (true, _) => "encryption and decryption",
            (_, "") => "the function",
            _ => "encryption",
        };
        let ready = if both { 3 } else { 1 };
        let mut text = match only_key(self.keys.sizes[0].program) {
            Some(key) => self.only_key_setup(key),
            None => {
                let schedule = self.names_in(unit, "key_schedule");
                self.key_setup(&format!("{}Key", self.keys.roles.0), serves, &schedule, &self.keys.encrypt, ready)
            }
        };
        if own {
            let reverse = self.names_in(unit, "key_schedule_decrypt");
            text += &self.key_setup("decryptKey", "decryption", &reverse, &self.keys.decrypt, 2);
        } else if both {
            text += &self.documented("decryption and encryption");
            text += "    public void decryptKey(byte[] key) {\n        encryptKey(key);\n    }\n\n";
        }
        text
    }

    fn names_in(&self, unit: &mut Unit, role: &str) -> Vec<String> {
        let programs: Vec<(&Program, String)> =
            self.keys.sizes.iter().map(|s| (s.program, format!("_{}", s.key_bits))).collect();
        unit.functions(&programs, role)
    }

    fn documented(&self, serves: &str) -> String {
        format!(
            "    /**\n     * Makes the round keys for {serves}.\n     *\n     * @param key {} bits\n     \
             * @throws IllegalArgumentException if the key has another size\n     */\n",
            self.sizes()
        )
    }

    fn refusal(&self) -> String {
        format!(
            "            throw new IllegalArgumentException(\n                \
             \"{} has keys of {} bits, this one has \" + 8 * key.length);\n",
            self.class,
            self.sizes()
        )
    }

    fn key_setup(&self, method: &str, serves: &str, schedules: &[String], members: &[usize], ready: u8) -> String {
        let mut text = self.documented(serves);
        text += &format!(
            "    public void {method}(byte[] key) {{\n        ready = 0;\n        switch (8 * key.length) {{\n"
        );
        for (sized, schedule) in self.keys.sizes.iter().zip(schedules) {
            let call = match (members, members.first().and_then(|&m| self.keys.members[m].length)) {
                ([only], None) => format!("{} = {schedule}(key)", self.keys.members[*only].name),
                _ => format!("{schedule}(key{})", self.listed(members)),
            };
            text += &format!("        case {}:\n            {call};\n            break;\n", sized.key_bits);
        }
        text += &format!("        default:\n{}        }}\n", self.refusal());
        if self.keys.sizes.len() > 1 {
            text += "        keyBits = 8 * key.length;\n";
        }
        text + &format!("        ready = {ready};\n    }}\n\n")
    }

    fn listed(&self, members: &[usize]) -> String {
        members.iter().map(|&m| format!(", {}", self.keys.members[m].name)).collect()
    }

    /// For code made for one key: that key is accepted, any other refused.
    fn only_key_setup(&self, key: &str) -> String {
        let bytes: Vec<String> = key
            .as_bytes()
            .chunks(2)
            .map(|d| table_entry(u64::from_str_radix(&String::from_utf8_lossy(d), 16).unwrap_or(0), 8))
            .collect();
        format!(
            "    /**\n     * Accepts the one key that this class was made for.\n     *\n     * @param key that key\n     \
             * @throws IllegalArgumentException if it is another\n     */\n    public void encryptKey(byte[] key) {{\n        \
             final byte[] only = {{ {} }};\n        ready = 0;\n        \
             if (!java.security.MessageDigest.isEqual(key, only)) {{\n            \
             throw new IllegalArgumentException(\"this class was made for another key\");\n        }}\n        ready = 3;\n    }}\n\n",
            bytes.join(", ")
        )
    }

    fn block_method(&self, role: &str, names: &[String], members: &[usize]) -> String {
        let (input, output) = (self.keys.block_bytes(role), self.keys.result_bytes(role));
        let keys: String = members.iter().map(|&m| format!("{}, ", self.keys.members[m].name)).collect();
        let (tweak, both, given) = self.with_tweak(input);
        let call = |name: &str| format!("{name}({keys}{given}, out, outOffset);\n");
        let (does, linkage, without_key, refusal) = self.what_is_said(role, input);
        let overlap = match input == output {
            true => "Input and output may be the same place, but not overlap otherwise.",
            false => "Input and output may not overlap.",
        };
        let mut text = format!(
            "    /**\n     * {does}. {overlap}\n     *\n\
             {without_key}     * @throws IndexOutOfBoundsException if an array ends before the block does\n     */\n    \
             public {linkage}void {role}({tweak}byte[] in, int inOffset, byte[] out, int outOffset) {{\n{refusal}        \
             Objects.checkFromIndexSize(inOffset, {input}, in.length);\n        \
             Objects.checkFromIndexSize(outOffset, {output}, out.length);\n{both}"
        );
        if names.iter().all(|n| *n == names[0]) {
            text += &format!("        {}", call(&names[0]));
        } else {
            text += "        switch (keyBits) {\n";
            for (n, (sized, function)) in self.keys.sizes.iter().zip(names).enumerate() {
                let label =
                    if n + 1 == names.len() { "default".to_owned() } else { format!("case {}", sized.key_bits) };
                text += &format!("        {label}:\n            {}            break;\n", call(function));
            }
            text += "        }\n";
        }
        text + "    }\n\n"
    }

    /// The parameter of a tweak, the lines that put it behind the block, and the arguments that are passed on.
    fn with_tweak(&self, block: usize) -> (String, String, &'static str) {
        let bytes = self.keys.tweak_bytes();
        if bytes == 0 {
            return (String::new(), String::new(), "in, inOffset");
        }
        let both = format!(
            "        Objects.checkFromIndexSize(tweakOffset, {bytes}, tweak.length);\n        \
             final byte[] both = new byte[{}];\n        \
             System.arraycopy(in, inOffset, both, 0, {block});\n        \
             System.arraycopy(tweak, tweakOffset, both, {block}, {bytes});\n",
            block + bytes
        );
        ("byte[] tweak, int tweakOffset, ".to_owned(), both, "both, 0")
    }

    /// What a method does, its linkage, what its comment says of keys, and what it does without one.
    fn what_is_said(&self, role: &str, bytes: usize) -> (String, &'static str, &'static str, String) {
        if !self.keys.keyed() {
            let does = match (role == self.keys.roles.0, self.keys.roles.1) {
                (_, "") => "Evaluates the function of one input",
                (true, _) => "Permutes one state",
                _ => "Undoes permute on one state",
            };
            return (format!("{does} of {bytes} bytes"), "static ", "", String::new());
        }
        let (does, bit, what) = match (role == self.keys.roles.0, self.keys.roles.1) {
            (_, "") => ("Evaluates the function of", 1, role.to_owned()),
            (true, _) => ("Encrypts", 1, format!("{role}ion")),
            _ => ("Decrypts", 2, format!("{role}ion")),
        };
        let refusal = format!(
            "        if ((ready & {bit}) == 0) {{\n            \
             throw new IllegalStateException(\"no key for {what} yet: call {role}Key\");\n        }}\n"
        );
        let without_key = "     * @throws IllegalStateException if there is no key for it yet\n";
        (
            format!("{does} one {} of {bytes} bytes", if self.keys.roles.1.is_empty() { "input" } else { "block" }),
            "",
            without_key,
            refusal,
        )
    }
}
