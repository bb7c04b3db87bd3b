"""What tests share: the command, sample data, toy ciphers, golden texts."""
