-- chi.three: 3 -> 3 bits, 6 gates. VHDL.
-- Written by `assay circuit emit`.
--
-- table      0 3 6 1 5 4 2 7
-- metrics    gates=6 depth=2
-- origin     own search
--
-- x is the input, y the output of one box, bit 0 the least significant.
library ieee;
use ieee.std_logic_1164.all;

entity chi_three is
    port (
        x : in  std_logic_vector(2 downto 0);
        y : out std_logic_vector(2 downto 0)
    );
end entity chi_three;

architecture gates of chi_three is
    signal t1, t2, t3, y0, y1, y2 : std_logic;
begin
    t1 <= x(2) and not x(1);
    t2 <= x(0) and not x(2);
    t3 <= x(1) and not x(0);
    y0 <= x(0) xor t1;
    y1 <= x(1) xor t2;
    y2 <= x(2) xor t3;
    y(0) <= y0;
    y(1) <= y1;
    y(2) <= y2;
end architecture gates;
