/**
 * Fixture: writes a flood to stderr and then the line `done` to stdout: `node floods-stderr.js <megabytes>`. The writes
 * block, so a reader that does not drain stderr blocks the server.
 */
import { writeSync } from "node:fs";

const line = `${"x".repeat(1023)}\n`;
const block = Buffer.from(line.repeat(64));
const blocks = Number(process.argv[2]) * 16;

for (let at = 0; at < blocks; at++) writeAll(2, block);
writeAll(2, Buffer.from("the last words\n"));
writeAll(1, Buffer.from("done\n"));
process.stdin.resume();

function writeAll(fd: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
    }
  }
}
