/** The functions by which the command line connects other clients to Plugboard. */
export { chooseCommand } from "./choose-command.ts";
export { connectInstructions } from "./connect-instructions.ts";
export { ConnectionRecords } from "./connection-records.ts";
export { listClients } from "./list-clients.ts";
export { planConnect } from "./plan-connect.ts";
export { planDisconnect } from "./plan-disconnect.ts";
export { writeChange } from "./write-change.ts";
