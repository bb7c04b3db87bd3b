// PRESENT with keys of 80 bits, encryption [BKL07].
// Written by hand, as a plain core is: a round a clock, S-boxes as tables. Pins and clocks are those of a generated core.

module plain (
    input  clock,
    input  reset,
    input  load_data,
    input  [79:0] key,
    input  [63:0] data_in,
    output [63:0] data_out,
    output valid,
    output ready
);
  reg [63:0] state;
  reg [79:0] round_key;
  reg [5:0] count;

  function [3:0] sbox(input [3:0] x);
    case (x)
      4'h0: sbox = 4'hC; 4'h1: sbox = 4'h5; 4'h2: sbox = 4'h6; 4'h3: sbox = 4'hB;
      4'h4: sbox = 4'h9; 4'h5: sbox = 4'h0; 4'h6: sbox = 4'hA; 4'h7: sbox = 4'hD;
      4'h8: sbox = 4'h3; 4'h9: sbox = 4'hE; 4'hA: sbox = 4'hF; 4'hB: sbox = 4'h8;
      4'hC: sbox = 4'h4; 4'hD: sbox = 4'h7; 4'hE: sbox = 4'h1; 4'hF: sbox = 4'h2;
    endcase
  endfunction

  wire [63:0] added = state ^ round_key[79:16];
  wire [63:0] boxed, permuted;
  wire [79:0] rotated = {round_key[18:0], round_key[79:19]};
  genvar n;
  generate
    for (n = 0; n < 16; n = n + 1) begin : boxes
      assign boxed[4 * n +: 4] = sbox(added[4 * n +: 4]);
    end
    for (n = 0; n < 64; n = n + 1) begin : bits
      assign permuted[n == 63 ? 63 : 16 * n % 63] = boxed[n];
    end
  endgenerate

  assign ready = count == 0;
  assign valid = count == 32;
  assign data_out = added;

  always @(posedge clock) begin
    if (reset || valid) count <= 0;
    else if (!ready || load_data) count <= count + 1;
    if (ready) begin
      state <= data_in;
      round_key <= key;
    end else begin
      state <= permuted;
      round_key <= {sbox(rotated[79:76]), rotated[75:20], rotated[19:15] ^ count[4:0], rotated[14:0]};
    end
  end
endmodule
