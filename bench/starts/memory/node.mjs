import { residentBytes } from "../resident-bytes.mjs";

console.log((await residentBytes()) / 1e6);
