/** A process of the benchmark takes one JSON argument and answers with one line of JSON. */
export const input = JSON.parse(process.argv[2]);

export const reply = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
