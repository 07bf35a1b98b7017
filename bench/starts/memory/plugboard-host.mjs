/** A host without servers. */
import { createHost } from "@plugboard/host";
import { emptyHome } from "../../contestants/empty-home.mjs";
import { residentBytes } from "../resident-bytes.mjs";

const home = emptyHome();
const host = await createHost(home.options);
console.log((await residentBytes()) / 1e6);
await host.close();
home.remove();
