//! Names that are legal and different in Verilog and in VHDL alike, so that both languages show the same design.

use std::collections::BTreeSet;

/// Keywords of Verilog-2005 and SystemVerilog (which tools read files with), of VHDL-2008, and what the texts use of its packages.
const RESERVED: &str = "abs accept_on access across after alias all always always_comb always_ff always_latch and architecture array \
assert assign assume attribute automatic bag before begin bind bins binsof bit block body boolean break buf buffer bufif0 bufif1 bus \
byte case casex casez cell chandle character checker class clocking cmos component config configuration const constant constraint \
context continue cover covergroup coverpoint cross deassign default defparam delay design disable disconnect dist do downto edge \
else elsif end endcase endchecker endclass endclocking endconfig endfunction endgenerate endgroup endinterface endmodule endpackage \
endprimitive endprogram endproperty endsequence endspecify endtable endtask entity enum event eventually exit expect export extends \
extern false fairness file final first_match for force foreach forever fork forkjoin function generate generic genvar global group \
guarded highz0 highz1 ieee if iff ifnone ignore_bins illegal_bins implements implies import impure in incdir include inertial \
initial inout input inside instance int integer interconnect interface intersect is join join_any join_none label large let liblist \
library line linkage literal local localparam logic longint loop macromodule map matches medium mod modport module nand natural \
negedge nettype new next nexttime nmos nor noshowcancelled not notif0 notif1 now null of on open or others out output package packed \
parameter pmos port posedge positive postponed primitive priority procedure process program property protected pull0 pull1 pulldown \
pullup pulsestyle_ondetect pulsestyle_onevent pure rand randc randcase randsequence range rcmos real realtime record ref reg register \
reject reject_on release rem repeat report resize restrict restrict_guarantee return rising_edge rnmos rol ror rotate_left \
rotate_right rpmos rtran rtranif0 rtranif1 s_always s_eventually s_nexttime s_until s_until_with scalared select sequence severity \
shared shift_left shift_right shortint shortreal showcancelled signal signed sla sll small soft solve specify specparam sra srl \
static std std_logic std_logic_1164 std_logic_vector string strong strong0 strong1 struct subtype super supply0 supply1 \
sync_accept_on sync_reject_on table tagged task then this throughout time timeprecision timeunit to to_integer tran tranif0 tranif1 \
transport tri tri0 tri1 triand trior trireg true type typedef unaffected union unique unique0 units unsigned until until_with untyped \
use uwire var variable vector virtual void vpkg vprop vunit wait wait_order wand weak weak0 weak1 when while wildcard wire with \
within wor work xnor xor numeric_std";

/// The names of one scope.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    /// In lower case, since VHDL does not tell `A` from `a`.
    used: BTreeSet<String>,
}

impl Names {
    /// A legal name as near to the wanted one as can be; no two are equal, whatever their case.
    pub fn unique(&mut self, wanted: &str) -> String {
        let base = legal(wanted);
        let taken = |used: &BTreeSet<String>, name: &str| {
            let lower = name.to_lowercase();
            used.contains(&lower) || RESERVED.split_whitespace().any(|word| word == lower)
        };
        let mut name = base.clone();
        let mut number = 1;
        while taken(&self.used, &name) {
            name = format!("{base}_{number}");
            number += 1;
        }
        self.used.insert(name.to_lowercase());
        name
    }
}

/// Letters, digits and single underscores between them, a letter first: `t.1` becomes `t_1`, `7` becomes `v7`.
fn legal(wanted: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let text: String = wanted.chars().map(plain).collect();
    let text = text.split('_').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("_");
    match text.chars().next() {
        Some(first) if first.is_ascii_alphabetic() => text,
        _ => format!("v{text}"),
    }
}

/// Whether the author named a value; the others have numbers.
pub(super) fn is_named(name: &str) -> bool {
    name.starts_with(|c: char| !c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::Names;

    #[test]
    fn names_are_legal_and_differ_whatever_their_case() {
        let mut names = Names::default();
        let given = ["t", "T", "t.1", "7", "in", "__a__b_", "", "reset"].map(|n| names.unique(n));
        assert_eq!(given, ["t", "T_1", "t_1_1", "v7", "in_1", "a_b", "v", "reset"]);
    }
}
