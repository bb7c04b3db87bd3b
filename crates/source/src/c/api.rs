//! The public face of an emitted cipher: context, key setup, encryption and decryption for all key sizes.

use program::diagnostic::Diagnostic;
use program::ir::{Function, Program, Type, ValueId};
use program::passes::specialize::ONLY_KEY;

use super::names::Names;
use super::types::{array_of, ctype, value_type, width_of};
use super::unit::Unit;
use super::Options;

/// A member of the context.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Member {
    name: String,
    width: u8,
    /// Number of elements; `None` for a word.
    length: Option<usize>,
}

/// A cipher compiled for one key size.
pub struct Sized<'a> {
    /// Key size in bits.
    pub key_bits: u32,
    /// Its program.
    pub program: &'a Program,
}

/// The public face.
pub struct Api<'a> {
    sizes: &'a [Sized<'a>],
    name: String,
    members: Vec<Member>,
    /// Which members the parameters of encryption and of decryption are.
    encrypt: Vec<usize>,
    decrypt: Vec<usize>,
}

fn function<'a>(program: &'a Program, name: &str) -> Option<&'a Function> {
    program.functions.iter().find(|f| f.name == name)
}

impl<'a> Api<'a> {
    /// Looks at what the programs have in common.
    ///
    /// # Errors
    /// `S001` if a function is missing, `S002` if the keys of two sizes have different types.
    pub fn new(sizes: &'a [Sized<'a>], options: &Options) -> Result<Self, Diagnostic> {
        let mut api =
            Api { sizes, name: options.name.clone(), members: Vec::new(), encrypt: Vec::new(), decrypt: Vec::new() };
        for sized in sizes {
            for needed in ["key_schedule", "encrypt", "decrypt"] {
                let filled_in = needed == "key_schedule" && only_key(sized.program).is_some();
                if !filled_in && function(sized.program, needed).is_none() {
                    return Err(Diagnostic::new(
                        "S001",
                        format!("the program `{}` has no function `{needed}`", sized.program.name),
                    )
                    .help("C is written for ciphers with key_schedule, encrypt and decrypt"));
                }
            }
        }
        api.encrypt = api.keys_of("encrypt", &[])?;
        let shared = api.encrypt.clone();
        api.decrypt = api.keys_of("decrypt", &shared)?;
        Ok(api)
    }

    fn keys_of(&mut self, role: &str, shared: &[usize]) -> Result<Vec<usize>, Diagnostic> {
        let mut members = Vec::new();
        for sized in self.sizes {
            let Some(f) = function(sized.program, role) else { continue };
            for (n, &p) in f.params[..f.params.len() - 1].iter().enumerate() {
                let own = self.member(f, p);
                let known =
                    members.get(n).copied().or_else(|| shared.get(n).copied().filter(|&m| self.members[m].fits(&own)));
                match known {
                    Some(m) if !self.members[m].fits(&own) => {
                        return Err(Diagnostic::new(
                            "S002",
                            format!("the keys of `{role}` have other types for {} key bits", sized.key_bits),
                        )
                        .help("write C for these key sizes one by one"));
                    }
                    Some(m) => {
                        self.members[m].length = self.members[m].length.max(own.length);
                        if members.len() <= n {
                            members.push(m);
                        }
                    }
                    None => {
                        members.push(self.members.len());
                        self.members.push(own);
                    }
                }
            }
        }
        Ok(members)
    }

    fn member(&self, f: &Function, p: ValueId) -> Member {
        let data = &f.values[p.0 as usize];
        let mut names = Names::default();
        self.members.iter().for_each(|m| names.reserve(&m.name));
        names.reserve("key_bits");
        let name = names.fresh(&data.name);
        Member { name, width: width_of(&data.ty), length: array_of(&data.ty).map(program::ir::ArrayType::len) }
    }

    fn has_decryption_keys(&self) -> bool {
        self.sizes.iter().any(|s| function(s.program, "key_schedule_decrypt").is_some())
    }

    /// The declarations of the header.
    #[must_use]
    pub fn header(&self) -> String {
        let name = &self.name;
        let mut text = format!(
            "/** Round keys, made by {name}_encrypt_key or {name}_decrypt_key. */\ntypedef struct {name}_ctx {{\n"
        );
        for m in &self.members {
            let size = m.length.map_or(String::new(), |n| format!("[{n}]"));
            let word = if m.length.is_some() { ctype(m.width) } else { value_type(m.width) };
            text += &format!("    {word} {}{size};\n", m.name);
        }
        let sizes: Vec<String> = self.sizes.iter().map(|s| s.key_bits.to_string()).collect();
        let both = if self.has_decryption_keys() {
            "Keys for decryption differ from those for encryption."
        } else {
            "The keys serve encryption and decryption."
        };
        text += &format!("    unsigned key_bits;\n}} {name}_ctx;\n\n");
        text += &format!(
            "/** Makes the round keys; key_bits is {}. Returns 0, or -1 for another key size. {both} */\n",
            sizes.join(", ")
        );
        text += &format!("int {name}_encrypt_key({name}_ctx *ctx, const uint8_t *key, size_t key_bits);\n");
        text += &format!("int {name}_decrypt_key({name}_ctx *ctx, const uint8_t *key, size_t key_bits);\n\n");
        for role in ["encrypt", "decrypt"] {
            let (input, output) = (self.block_bytes(role), self.result_bytes(role));
            text += &format!("/** One block; in and out may be the same memory. */\nvoid {name}_{role}(const {name}_ctx *ctx, const uint8_t in[{input}], uint8_t out[{output}]);\n");
        }
        text
    }

    fn block_bytes(&self, role: &str) -> usize {
        let f = function(self.sizes[0].program, role);
        f.and_then(|f| f.params.last().and_then(|p| array_of(&f.values[p.0 as usize].ty)))
            .map_or(16, program::ir::ArrayType::len)
    }

    fn result_bytes(&self, role: &str) -> usize {
        match function(self.sizes[0].program, role).and_then(|f| f.results.first()) {
            Some(Type::Array(a)) => a.len(),
            _ => 16,
        }
    }

    /// Writes all functions into the file and gives the text of the public ones.
    pub fn source(&self, unit: &mut Unit) -> String {
        let name = &self.name;
        let mut text = match only_key(self.sizes[0].program) {
            Some(key) => self.only_key_setup(key),
            None => {
                let schedule = self.c_names(unit, "key_schedule");
                self.key_setup("encrypt_key", &schedule, &self.encrypt)
            }
        };
        if self.has_decryption_keys() {
            let reverse = self.c_names(unit, "key_schedule_decrypt");
            text += &self.key_setup("decrypt_key", &reverse, &self.decrypt);
        } else {
            text += &format!(
                "int {name}_decrypt_key({name}_ctx *ctx, const uint8_t *key, size_t key_bits)\n{{\n    return {name}_encrypt_key(ctx, key, key_bits);\n}}\n\n"
            );
        }
        for (role, members) in [("encrypt", &self.encrypt), ("decrypt", &self.decrypt)] {
            let names = self.c_names(unit, role);
            text += &self.block_function(role, &names, members);
        }
        text
    }

    fn c_names(&self, unit: &mut Unit, role: &str) -> Vec<String> {
        let programs: Vec<(&Program, String)> =
            self.sizes.iter().map(|s| (s.program, format!("_{}", s.key_bits))).collect();
        unit.functions(&programs, role)
    }

    fn key_setup(&self, role: &str, schedules: &[String], members: &[usize]) -> String {
        let name = &self.name;
        let mut text = format!(
            "int {name}_{role}({name}_ctx *ctx, const uint8_t *key, size_t key_bits)\n{{\n    switch (key_bits) {{\n"
        );
        for (sized, schedule) in self.sizes.iter().zip(schedules) {
            let call = match (members, &self.members[members[0]].length) {
                ([only], None) => format!("ctx->{} = {schedule}(key)", self.members[*only].name),
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
    fn only_key_setup(&self, key: &str) -> String {
        let name = &self.name;
        let bytes: Vec<String> =
            key.as_bytes().chunks(2).map(|d| format!("0x{}", String::from_utf8_lossy(d))).collect();
        format!(
            "int {name}_encrypt_key({name}_ctx *ctx, const uint8_t *key, size_t key_bits)\n{{\n    static const uint8_t only[{0}] = {{\n        {1}\n    }};\n                 if (key_bits != 8 * sizeof only) {{\n        return -1;\n    }}\n    unsigned difference = 0;\n                 for (size_t n = 0; n < sizeof only; n++) {{\n        difference |= (unsigned)(key[n] ^ only[n]);\n    }}\n                 ctx->key_bits = (unsigned)key_bits;\n    return difference == 0 ? 0 : -1;\n}}\n\n",
            bytes.len(),
            bytes.join(", ")
        )
    }

    fn target(&self, m: usize) -> String {
        let member = &self.members[m];
        let pointer = if member.length.is_none() { "&" } else { "" };
        format!("{pointer}ctx->{}", member.name)
    }

    fn block_function(&self, role: &str, names: &[String], members: &[usize]) -> String {
        let name = &self.name;
        let (input, output) = (self.block_bytes(role), self.result_bytes(role));
        let mut text = format!(
            "void {name}_{role}(const {name}_ctx *ctx, const uint8_t in[{input}], uint8_t out[{output}])\n{{\n"
        );
        let keys: String = members.iter().map(|&m| format!("ctx->{}, ", self.members[m].name)).collect();
        if members.is_empty() {
            text += "    (void)ctx;\n";
        }
        if names.iter().all(|n| *n == names[0]) {
            text += &format!("    {}({keys}in, out);\n", names[0]);
        } else {
            text += "    switch (ctx->key_bits) {\n";
            for (n, (sized, function)) in self.sizes.iter().zip(names).enumerate() {
                let label =
                    if n + 1 == names.len() { "default".to_owned() } else { format!("case {}", sized.key_bits) };
                text += &format!("    {label}:\n        {function}({keys}in, out);\n        break;\n");
            }
            text += "    }\n";
        }
        text + "}\n\n"
    }
}

/// The key that the program was made for, in hexadecimal, if it was made for one.
fn only_key(program: &Program) -> Option<&str> {
    program.meta.iter().find(|(fact, _)| fact == ONLY_KEY).map(|(_, key)| key.as_str())
}

impl Member {
    fn fits(&self, other: &Member) -> bool {
        self.width == other.width && self.length.is_some() == other.length.is_some()
    }
}
