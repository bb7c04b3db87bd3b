"""From Verilog to speed grades: functions mapped by recipes, swept, mixed, strategies compared."""
