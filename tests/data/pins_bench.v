// The protocol of the pins, from its description alone: random loads, resets and takes, and a model of what must follow.
// keys.hex has keys, sizes.hex the codes of their sizes, given.hex blocks, wanted.hex their results: key by key, block by block,
// encrypted and decrypted.
`timescale 1ns / 1ns

module pins_bench;
  parameter KEY = 128;
  parameter KEYS = 8;
  parameter BLOCKS = 4;
  parameter CLOCKS = 3000;
  // One in so many clocks brings a key, a take, a reset.
  parameter RARE_KEY = 12;
  parameter RESETS = 400;

  reg [KEY - 1:0] keys [0:KEYS - 1];
  reg [1:0] sizes [0:KEYS - 1];
  reg [127:0] given [0:BLOCKS - 1];
  reg [127:0] wanted [0:2 * KEYS * BLOCKS - 1];

  reg clock, reset, load_key, load_data, decrypt, take;
  reg [1:0] key_size;
  reg [KEY - 1:0] key;
  reg [127:0] data_in;
  wire [127:0] data_out;
  wire valid, ready;
`ifndef TAKE
  initial take = 1'b1;
`endif

  `DEVICE device (
    .clock(clock), .reset(reset), .load_key(load_key), .load_data(load_data), .decrypt(decrypt),
`ifdef SIZES
    .key_size(key_size),
`endif
`ifdef TAKE
    .take(take),
`endif
    .key(key), .data_in(data_in), .data_out(data_out), .valid(valid), .ready(ready)
  );

  // The model: the key of the device, and the results that are to come, oldest first.
  integer has_key, current, head, tail;
  integer queue [0:4095];
  reg was_valid;
  reg [127:0] was_data;

  integer n, clocks, errors, offered, block, quiet, calm;
  reg was_ready;
  // How often each rule was put to the test.
  integer blocks, first_with_block, pair_encrypt, pair_decrypt, refused_key, reset_key, size_three, size_two, lost;

  task fail(input integer code);
    begin
      errors = errors + 1;
      if (errors < 10) begin
        case (code)
          1: $display("FAIL clock %0d: ready without a key", clocks);
          2: $display("FAIL clock %0d: a result without a block", clocks);
          3: $display("FAIL clock %0d: result %h, expected %h", clocks, data_out, wanted[queue[head % 4096]]);
          4: $display("FAIL clock %0d: ready depends on input pins", clocks);
          5: $display("FAIL clock %0d: a result changes while it waits", clocks);
          6: $display("FAIL clock %0d: a result is missing", clocks);
          7: $display("FAIL clock %0d: never ready again", clocks);
          default: $display("FAIL clock %0d: ready is neither 0 nor 1", clocks);
        endcase
      end
    end
  endtask

  // New values at all input pins. While it is calm nothing is loaded.
  task drive;
    begin
      offered = $unsigned($random) % KEYS;
      block = $unsigned($random) % BLOCKS;
      load_key = !calm && $unsigned($random) % RARE_KEY == 0;
      load_data = !calm && (load_key ? $unsigned($random) % 2 == 0 : $unsigned($random) % 8 != 0);
      decrypt = $random;
      key = keys[offered];
      key_size = sizes[offered] == 2 ? 2 + ($unsigned($random) % 2) : sizes[offered];
      data_in = given[block];
`ifdef TAKE
      take = calm || $unsigned($random) % 4 != 0;
`endif
    end
  endtask

  // What the rising edge does to the device by its description.
  task follow;
    begin
      if (ready !== 1'b0 && ready !== 1'b1) fail(0);
      if (ready && !has_key) fail(1);
      if (valid) begin
        if (head == tail) fail(2);
        else if (data_out !== wanted[queue[head % 4096]]) fail(3);
        if (was_valid && data_out !== was_data) fail(5);
      end else if (was_valid) fail(5);
      was_valid = valid && !take;
      was_data = data_out;
      if (valid && take && head != tail) begin
        head = head + 1;
        quiet = 0;
      end
      if (load_key && !ready && has_key) refused_key = refused_key + 1;
      if (load_key && load_data && !ready && !has_key) first_with_block = first_with_block + 1;
      if (load_key && (ready || !has_key)) begin
        if (load_data && ready && decrypt) pair_decrypt = pair_decrypt + 1;
        if (load_data && ready && !decrypt) pair_encrypt = pair_encrypt + 1;
        current = offered;
        if (key_size == 3) size_three = size_three + 1;
        if (key_size == 2) size_two = size_two + 1;
      end
      if (load_data && ready) begin
        // A block that comes with a key is one of that key.
        queue[tail % 4096] = 2 * (BLOCKS * current + block) + decrypt;
        tail = tail + 1;
        blocks = blocks + 1;
      end
      if (load_key) has_key = 1;
      quiet = quiet + 1;
    end
  endtask

  // A clock, after its inputs were given other values first: ready must not see them.
  task cycle;
    begin
      drive;
      #2 was_ready = ready;
      drive;
      #2 if (ready !== was_ready) fail(4);
      #1 follow;
      clock = 1'b1;
      #5 clock = 1'b0;
      clocks = clocks + 1;
    end
  endtask

  // Some clocks of reset, in which everything is offered.
  task restart;
    begin
      lost = lost + tail - head;
      reset = 1'b1;
      for (n = 0; n < 1 + $unsigned($random) % 3; n = n + 1) begin
        drive;
        load_key = $random;
        load_data = $random;
        if (load_key) reset_key = reset_key + 1;
        #5 clock = 1'b1;
        #5 clock = 1'b0;
        clocks = clocks + 1;
      end
      reset = 1'b0;
      has_key = 0;
      head = tail;
      was_valid = 1'b0;
    end
  endtask

  initial begin
    $readmemh("keys.hex", keys);
    $readmemh("sizes.hex", sizes);
    $readmemh("given.hex", given);
    $readmemh("wanted.hex", wanted);
    clock = 1'b0;
    {errors, clocks, head, tail, has_key, current, quiet, calm, blocks, first_with_block} = 0;
    {pair_encrypt, pair_decrypt, refused_key, reset_key, size_three, size_two, lost} = 0;
    was_valid = 1'b0;
    restart;
    while (clocks < CLOCKS) begin
      cycle;
      if ($unsigned($random) % RESETS == 0) restart;
    end
    // All results come, and the device is ready in the end.
    if (!has_key) while (!has_key) cycle;
    calm = 1;
    while ((head != tail || !ready) && quiet < 1000) cycle;
    if (head != tail) fail(6);
    if (!ready) fail(7);
    $display("blocks %0d first_with_block %0d pair_encrypt %0d pair_decrypt %0d refused_key %0d reset_key %0d size_three %0d size_two %0d lost %0d",
             blocks, first_with_block, pair_encrypt, pair_decrypt, refused_key, reset_key, size_three, size_two, lost);
    if (errors == 0) $display("PASS");
    else $display("FAIL: %0d errors", errors);
    $finish;
  end
endmodule
