//! The public face of an emitted cipher: context, key setup, encryption and decryption for all key sizes.

use program::diagnostic::Diagnostic;
use program::ir::Program;

use super::language::C;
use super::types::{ctype, value_type};
use crate::writer::api::{only_key, Keys, Options, SizedProgram};
use crate::writer::language::Language;
use crate::writer::names::Names;
use crate::writer::unit::Unit;

/// The public face.
pub struct Api<'a> {
    name: String,
    keys: Keys<'a>,
}

impl<'a> Api<'a> {
    /// Looks at what the programs have in common.
    ///
    /// # Errors
    /// `S001` if a function is missing, `S002` if the keys of two sizes have different types.
    pub fn new(sizes: &'a [SizedProgram<'a>], options: &Options) -> Result<Self, Diagnostic> {
        let mut names = Names::new(C.reserved());
        names.reserve("key_bits");
        Ok(Api { name: options.name.clone(), keys: Keys::new(sizes, names, "C")? })
    }

    /// The declarations of the header.
    #[must_use]
    pub fn header(&self) -> String {
        let keys = if self.keys.keyed() { self.header_of_keys() } else { String::new() };
        self.keys
            .directions()
            .iter()
            .fold(keys, |text, (role, _)| text + &format!("/** {} */\n{};\n", self.about(role), self.signature(role)))
    }

    fn about(&self, role: &str) -> &'static str {
        match (self.keys.block_bytes(role), self.keys.result_bytes(role)) {
            (input, output) if input == output => "One block; in and out may be the same memory.",
            _ => "One input; in and out may not overlap.",
        }
    }

    fn header_of_keys(&self) -> String {
        let (name, role) = (&self.name, self.keys.roles.0);
        let decrypts = self.keys.decrypts();
        let or_decrypts = if decrypts { format!(" or {name}_decrypt_key") } else { String::new() };
        let mut text =
            format!("/** Round keys, made by {name}_{role}_key{or_decrypts}. */\ntypedef struct {name}_ctx {{\n");
        for m in &self.keys.members {
            let size = m.length.map_or(String::new(), |n| format!("[{n}]"));
            let word = if m.length.is_some() { ctype(m.width) } else { value_type(m.width) };
            text += &format!("    {word} {}{size};\n", m.name);
        }
        let sizes: Vec<String> = self.keys.sizes.iter().map(|s| s.key_bits.to_string()).collect();
        let both = match (decrypts, self.keys.has_own_decryption()) {
            (false, _) => "",
            (true, true) => " Keys for decryption differ from those for encryption.",
            (true, false) => " The keys serve encryption and decryption.",
        };
        text += &format!("    unsigned key_bits;\n}} {name}_ctx;\n\n");
        text += &format!(
            "/** Makes the round keys; key_bits is {}. Returns 0, or -1 for another key size.{both} */\n",
            sizes.join(", ")
        );
        text += &format!("int {name}_{role}_key({name}_ctx *ctx, const uint8_t *key, size_t key_bits);\n");
        if decrypts {
            text += &format!("int {name}_decrypt_key({name}_ctx *ctx, const uint8_t *key, size_t key_bits);\n");
        }
        text += &format!("/** Overwrites the round keys with zeros; no compiler may leave it out. */\nvoid {name}_clear({name}_ctx *ctx);\n");
        text + "\n"
    }

    fn signature(&self, role: &str) -> String {
        let name = &self.name;
        let context = if self.keys.keyed() { format!("const {name}_ctx *ctx, ") } else { String::new() };
        let (input, output) = (self.keys.block_bytes(role), self.keys.result_bytes(role));
        let tweak = match self.keys.tweak_bytes() {
            0 => String::new(),
            bytes => format!("const uint8_t tweak[{bytes}], "),
        };
        format!("void {name}_{role}({context}{tweak}const uint8_t in[{input}], uint8_t out[{output}])")
    }

    /// Writes all functions into the file and gives the text of the public ones.
    pub fn source(&self, unit: &mut Unit) -> String {
        let mut text = if self.keys.keyed() { self.key_functions(unit) } else { String::new() };
        for (role, members) in self.keys.directions() {
            let names = self.names_in(unit, role);
            unit.uses_memcpy |= self.keys.tweak_bytes() > 0;
            text += &self.block_function(role, &names, members);
        }
        text
    }

    fn key_functions(&self, unit: &mut Unit) -> String {
        let name = &self.name;
        let encrypt = format!("{}_key", self.keys.roles.0);
        let shared = self.keys.decrypts() && !self.keys.has_own_decryption();
        // Static where both call it: in a shared library a call of a public function goes through a table.
        let (begin, first) = if shared { ("static int", "set_key") } else { ("int", encrypt.as_str()) };
        let mut text = match only_key(self.keys.sizes[0].program) {
            Some(key) => self.only_key_setup(begin, first, key),
            None => {
                let schedule = self.names_in(unit, "key_schedule");
                self.key_setup(begin, first, &schedule, &self.keys.encrypt)
            }
        };
        if shared {
            for role in [encrypt.as_str(), "decrypt_key"] {
                text += &format!(
                    "{}\n{{\n    return {name}_set_key(ctx, key, key_bits);\n}}\n\n",
                    self.of_key("int", role)
                );
            }
        } else if self.keys.decrypts() {
            let reverse = self.names_in(unit, "key_schedule_decrypt");
            text += &self.key_setup("int", "decrypt_key", &reverse, &self.keys.decrypt);
        }
        text + &format!(
            "void {name}_clear({name}_ctx *ctx)\n{{\n    volatile uint8_t *bytes = (volatile uint8_t *)ctx;\n    size_t n;\n\n    for (n = 0; n < sizeof *ctx; n++) {{\n        bytes[n] = 0;\n    }}\n}}\n\n"
        )
    }

    /// The head of a function that takes a key.
    fn of_key(&self, begin: &str, role: &str) -> String {
        let name = &self.name;
        format!("{begin} {name}_{role}({name}_ctx *ctx, const uint8_t *key, size_t key_bits)")
    }

    fn names_in(&self, unit: &mut Unit, role: &str) -> Vec<String> {
        let programs: Vec<(&Program, String)> =
            self.keys.sizes.iter().map(|s| (s.program, format!("_{}", s.key_bits))).collect();
        unit.functions(&programs, role)
    }

    fn key_setup(&self, begin: &str, role: &str, schedules: &[String], members: &[usize]) -> String {
        let mut text = format!("{}\n{{\n    switch (key_bits) {{\n", self.of_key(begin, role));
        for (sized, schedule) in self.keys.sizes.iter().zip(schedules) {
            let call = match (members, &self.keys.members[members[0]].length) {
                ([only], None) => format!("ctx->{} = {schedule}(key)", self.keys.members[*only].name),
                _ => {
                    let targets: Vec<String> = members.iter().map(|&m| self.target(m)).collect();
                    format!("{schedule}(key, {})", targets.join(", "))
                }
            };
            text += &format!("    case {}:\n        {call};\n        break;\n", sized.key_bits);
        }
        text + "    default:\n        return -1;\n    }\n    ctx->key_bits = (unsigned)key_bits;\n    return 0;\n}\n\n"
    }

    /// For code made for one key: that key is accepted, any other refused.
    fn only_key_setup(&self, begin: &str, role: &str, key: &str) -> String {
        let bytes: Vec<String> =
            key.as_bytes().chunks(2).map(|d| format!("0x{}", String::from_utf8_lossy(d))).collect();
        format!(
            "{2}\n{{\n    static const uint8_t only[{0}] = {{\n        {1}\n    }};\n                 if (key_bits != 8 * sizeof only) {{\n        return -1;\n    }}\n    unsigned difference = 0;\n                 for (size_t n = 0; n < sizeof only; n++) {{\n        difference |= (unsigned)(key[n] ^ only[n]);\n    }}\n                 ctx->key_bits = (unsigned)key_bits;\n    return difference == 0 ? 0 : -1;\n}}\n\n",
            bytes.len(),
            bytes.join(", "),
            self.of_key(begin, role)
        )
    }

    fn target(&self, m: usize) -> String {
        let member = &self.keys.members[m];
        let pointer = if member.length.is_none() { "&" } else { "" };
        format!("{pointer}ctx->{}", member.name)
    }

    fn block_function(&self, role: &str, names: &[String], members: &[usize]) -> String {
        let mut text = format!("{}\n{{\n", self.signature(role));
        let keys: String = members.iter().map(|&m| format!("ctx->{}, ", self.keys.members[m].name)).collect();
        if members.is_empty() && self.keys.keyed() {
            text += "    (void)ctx;\n";
        }
        let input = match (self.keys.block_bytes(role), self.keys.tweak_bytes()) {
            (_, 0) => "in",
            (block, tweak) => {
                text += &format!(
                    "    uint8_t both[{0}];\n    memcpy(both, in, {block});\n    memcpy(both + {block}, tweak, {tweak});\n",
                    block + tweak
                );
                "both"
            }
        };
        if names.iter().all(|n| *n == names[0]) {
            text += &format!("    {}({keys}{input}, out);\n", names[0]);
        } else {
            text += "    switch (ctx->key_bits) {\n";
            for (n, (sized, function)) in self.keys.sizes.iter().zip(names).enumerate() {
                let label =
                    if n + 1 == names.len() { "default".to_owned() } else { format!("case {}", sized.key_bits) };
                text += &format!("    {label}:\n        {function}({keys}{input}, out);\n        break;\n");
            }
            text += "    }\n";
        }
        text + "}\n\n"
    }
}
