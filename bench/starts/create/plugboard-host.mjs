import { createHost } from "@plugboard/host";

const host = await createHost({ keeps: false });
await host.close();
