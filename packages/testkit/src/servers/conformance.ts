/**
 * Fixture: a server that passes every server scenario of the official conformance suite:
 * `node conformance.js legacy|modern|dual stdio|http`. Loads only the package of its era, because it is started often.
 */
const [era, transport] = process.argv.slice(2);

switch (`${era} ${transport}`) {
  case "legacy stdio":
    await (await import("./conformance/serve-legacy.ts")).serveStdioLegacy();
    break;
  case "legacy http":
    (await import("./conformance/serve-legacy.ts")).serveHttpLegacy();
    break;
  case "modern stdio":
    (await import("./conformance/serve-modern.ts")).serveStdioModern();
    break;
  case "modern http":
    (await import("./conformance/serve-modern.ts")).serveHttpModern();
    break;
  case "dual stdio":
    (await import("./conformance/serve-dual.ts")).serveStdioDual();
    break;
  case "dual http":
    (await import("./conformance/serve-dual.ts")).serveHttpDual();
    break;
  default:
    process.stderr.write("usage: conformance.js legacy|modern|dual stdio|http\n");
    process.exitCode = 2;
}
