/**
 * Fixture: writes a flood to stderr and then the line `done` to stdout: `node floods-stderr.js <megabytes>`. The writes
 * block, so a reader that does not drain stderr blocks the server.
 */
import { writeSync } from "node:fs";

const [STDOUT, STDERR] = [1, 2];
const line = `${"x".repeat(1023)}\n`;
const block = Buffer.from(line.repeat(64));
const blocks = Number(process.argv[2]) * 16;

for (let count = 0; count < blocks; count++) writeAll(STDERR, block);
writeAll(STDERR, Buffer.from("the last words\n"));
writeAll(STDOUT, Buffer.from("done\n"));
process.stdin.resume();

function writeAll(fd: number, bytes: Buffer): void {
  for (let offset = 0; offset < bytes.length;) {
    try {
      offset += writeSync(fd, bytes, offset);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
    }
  }
}
