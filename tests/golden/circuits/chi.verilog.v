// chi.three: 3 -> 3 bits, 6 gates. Verilog.
// Written by `assay circuit emit`.
//
// table      0 3 6 1 5 4 2 7
// metrics    gates=6 depth=2
// origin     own search
//
// x is the input, y the output of one box, bit 0 the least significant.
module chi_three (
    input  wire [2:0] x,
    output wire [2:0] y
);
    wire   t1 = x[2] & ~x[1];
    wire   t2 = x[0] & ~x[2];
    wire   t3 = x[1] & ~x[0];
    assign y[0] = x[0] ^ t1;
    assign y[1] = x[1] ^ t2;
    assign y[2] = x[2] ^ t3;
endmodule
