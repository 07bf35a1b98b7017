// @ts-check
/** Runs a host in a process of its own. Prints its endpoint, and stops when stdin ends. */
import { startDaemon } from "@plugboard/daemon";

const daemon = await startDaemon({ port: 0, env: process.env, spec: { cwd: process.cwd() } });
process.stdout.write(`${daemon.endpoint}\n`);
process.stdin.resume().once("end", () => void daemon.stop());
