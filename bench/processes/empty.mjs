// What Node itself takes to start.
const { user, system } = process.cpuUsage();
process.stdout.write(`${JSON.stringify({ cpu: (user + system) / 1000 })}\n`);
