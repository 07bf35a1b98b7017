import { createHost } from "@plugboard/host";

const host = await createHost({ persist: false });
await host.close();
