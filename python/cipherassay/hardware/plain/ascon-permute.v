// Ascon-p of 12 rounds [DEMS21].
// Written by hand, as a plain core is: a round a clock, S-boxes as tables. Pins and clocks are those of a generated core.

module plain (
    input  clock,
    input  reset,
    input  load_data,
    input  [319:0] data_in,
    output [319:0] data_out,
    output valid,
    output ready
);
  reg [63:0] x0, x1, x2, x3, x4;
  reg [3:0] count;

  function [4:0] sbox(input [4:0] x);
    case (x)
      5'd0: sbox = 5'd4; 5'd1: sbox = 5'd11; 5'd2: sbox = 5'd31; 5'd3: sbox = 5'd20;
      5'd4: sbox = 5'd26; 5'd5: sbox = 5'd21; 5'd6: sbox = 5'd9; 5'd7: sbox = 5'd2;
      5'd8: sbox = 5'd27; 5'd9: sbox = 5'd5; 5'd10: sbox = 5'd8; 5'd11: sbox = 5'd18;
      5'd12: sbox = 5'd29; 5'd13: sbox = 5'd3; 5'd14: sbox = 5'd6; 5'd15: sbox = 5'd28;
      5'd16: sbox = 5'd30; 5'd17: sbox = 5'd19; 5'd18: sbox = 5'd7; 5'd19: sbox = 5'd14;
      5'd20: sbox = 5'd0; 5'd21: sbox = 5'd13; 5'd22: sbox = 5'd17; 5'd23: sbox = 5'd24;
      5'd24: sbox = 5'd16; 5'd25: sbox = 5'd12; 5'd26: sbox = 5'd1; 5'd27: sbox = 5'd25;
      5'd28: sbox = 5'd22; 5'd29: sbox = 5'd10; 5'd30: sbox = 5'd15; 5'd31: sbox = 5'd23;
    endcase
  endfunction

  function [63:0] sigma(input [63:0] x, input integer a, input integer b);
    sigma = x ^ ((x >> a) | (x << (64 - a))) ^ ((x >> b) | (x << (64 - b)));
  endfunction

  wire [3:0] number = count - 1;
  wire [63:0] added = x2 ^ {~number, number};
  wire [63:0] y0, y1, y2, y3, y4;
  genvar n;
  generate
    for (n = 0; n < 64; n = n + 1) begin : boxes
      assign {y0[n], y1[n], y2[n], y3[n], y4[n]} = sbox({x0[n], x1[n], added[n], x3[n], x4[n]});
    end
  endgenerate

  assign ready = count == 0;
  assign valid = count == 13;
  assign data_out = {x0, x1, x2, x3, x4};

  always @(posedge clock) begin
    if (reset || valid) count <= 0;
    else if (!ready || load_data) count <= count + 1;
    if (ready) {x0, x1, x2, x3, x4} <= data_in;
    else begin
      x0 <= sigma(y0, 19, 28);
      x1 <= sigma(y1, 61, 39);
      x2 <= sigma(y2, 1, 6);
      x3 <= sigma(y3, 10, 17);
      x4 <= sigma(y4, 7, 41);
    end
  end
endmodule
