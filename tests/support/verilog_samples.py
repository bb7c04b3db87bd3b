"""Small Verilog modules for the tests of synthesis."""

ADDER = """module adder(input [31:0] a, input [31:0] b, output [31:0] y);
  assign y = a + b;
endmodule
"""
SBOX = """module sbox(input [3:0] x, output [3:0] y);
  reg [3:0] S [0:15];
  initial begin
    S[0] = 3; S[1] = 8; S[2] = 15; S[3] = 1; S[4] = 10; S[5] = 6; S[6] = 5; S[7] = 11;
    S[8] = 14; S[9] = 13; S[10] = 4; S[11] = 2; S[12] = 7; S[13] = 0; S[14] = 9; S[15] = 12;
  end
  assign y = S[x];
endmodule
"""
LAYER = """module layer(input [31:0] x, input [31:0] k, output [31:0] y);
  wire [31:0] m = x ^ k;
  wire [31:0] s;
  genvar i;
  generate for (i = 0; i < 8; i = i + 1) begin : box
    sbox b(.x(m[4*i +: 4]), .y(s[4*i +: 4]));
  end endgenerate
  assign y = {s[20:0], s[31:21]};
endmodule
"""
CORE = """module core(input clock, input reset, input load_data, input [31:0] key, input [31:0] data_in,
            output [31:0] data_out, output valid);
  wire load, run;
  wire [31:0] d, k;
  interface_block interface(.clock(clock), .load_data(load_data), .data_in(data_in), .key(key), .load(load),
                            .d(d), .k(k));
  controller controller(.clock(clock), .reset(reset), .load(load), .run(run), .valid(valid));
  algorithm algorithm(.clock(clock), .load(load), .run(run), .d(d), .k(k), .q(data_out));
endmodule
module interface_block(input clock, input load_data, input [31:0] data_in, input [31:0] key,
                       output reg load, output reg [31:0] d, output reg [31:0] k);
  always @(posedge clock) begin load <= load_data; d <= data_in; k <= key; end
endmodule
module controller(input clock, input reset, input load, output run, output valid);
  reg [3:0] n;
  always @(posedge clock) if (reset) n <= 0; else if (load) n <= 1; else if (run) n <= n + 1;
  assign run = n != 0;
  assign valid = n == 0;
endmodule
module algorithm(input clock, input load, input run, input [31:0] d, input [31:0] k, output reg [31:0] q);
  wire [31:0] y;
  layer round(.x(q), .k(k), .y(y));
  always @(posedge clock) if (load) q <= d ^ k; else if (run) q <= y;
endmodule
"""
LATCHES = """module held(input open, input closed, input [1:0] d, output reg [1:0] q);
  always @* if (open) q[0] = d[0];
  always @* if (!closed) q[1] = d[1];
endmodule
"""
