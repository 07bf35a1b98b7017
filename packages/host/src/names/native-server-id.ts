/** The server id of native tools. No configured server can have it. */
export const NATIVE_SERVER_ID = "native";
