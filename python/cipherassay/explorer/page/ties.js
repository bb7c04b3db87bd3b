// Lines tied to lines: what of each line of the description stands where, and what it takes.

/** Lines of a text that come from a line of the description: from it itself, and through what it calls. */
export function linesOf(shown, line) {
  const strong = new Set();
  const weak = new Set();
  (shown?.lines ?? []).forEach((from, n) => {
    if (from[0] === line) strong.add(n + 1);
    else if (from.includes(line)) weak.add(n + 1);
  });
  return { strong, weak };
}

/** Lines of the description that a line of a text comes from. */
export function originsOf(shown, line) {
  const [first, ...callers] = shown?.lines?.[line - 1] ?? [];
  return { strong: new Set(first ? [first] : []), weak: new Set(callers) };
}

/** What a version's panels count of each line: operations, instructions and cycles, with their sums. */
export function counted(version) {
  const operations = version.panels.operations?.shown?.by_line ?? {};
  const listing = version.panels.assembly?.shown?.by_line ?? {};
  const sum = (values) => values.reduce((a, b) => a + b, 0);
  return {
    operations,
    listing,
    all: {
      operations: sum(Object.values(operations)),
      instructions: sum(Object.values(listing).map((one) => one.instructions)),
      cycles: sum(Object.values(listing).map((one) => one.cycles)),
    },
  };
}

/** Each line's share: of the cycles where they are known, else of the operations. */
export function shares(version) {
  const { operations, listing, all } = counted(version);
  const found = new Map();
  if (all.cycles) for (const [line, one] of Object.entries(listing)) found.set(Number(line), one.cycles / all.cycles);
  else for (const [line, count] of Object.entries(operations)) found.set(Number(line), count / all.operations);
  return found;
}
