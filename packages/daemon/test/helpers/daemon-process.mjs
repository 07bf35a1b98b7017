// @ts-check
/**
 * Runs a host in a process of its own. Prints its endpoint when its servers have started, and stops when stdin ends.
 */
import { startDaemon } from "@plugboard/daemon";

const daemon = await startDaemon({ port: 0, env: process.env, spec: { cwd: process.cwd() } });
await daemon.workspace.start();
process.stdout.write(`${daemon.endpoint}\n`);
process.stdin.resume().once("end", () => void daemon.stop());
