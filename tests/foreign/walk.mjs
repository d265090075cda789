// Lists the tools of a server over stdio and calls some of them with the TypeScript client.
//
//     node walk.mjs MODE CALLS COMMAND ARGUMENT...
//
// MODE is legacy or auto; CALLS is JSON: a list of [tool, arguments, session or null]. Prints one JSON object.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(pathToFileURL(process.env.FOREIGN + "/package.json"));
const load = (name) => import(pathToFileURL(require.resolve(name)));
const { Client } = await load("@modelcontextprotocol/client");
const { StdioClientTransport } = await load("@modelcontextprotocol/client/stdio");

const [, , mode, calls, command, ...args] = process.argv;
const client = new Client({ name: "walk", version: "1" }, mode === "legacy" ? {} : { versionNegotiation: { mode } });
const env = { ...process.env };
await client.connect(new StdioClientTransport({ command, args, env, stderr: "inherit" }));
const tools = (await client.listTools()).tools;
const results = [];
for (const [name, argument, session] of JSON.parse(calls)) {
  const meta = session === null ? {} : { _meta: { "io.proverl/session": session, "io.proverl/seed": 7 } };
  try {
    const result = await client.callTool({ name, arguments: argument, ...meta });
    results.push({ isError: result.isError ?? false, structuredContent: result.structuredContent });
  } catch (error) {
    results.push({ code: error.code, message: error.message });
  }
}
const version = client.getNegotiatedProtocolVersion?.() ?? null;
await client.close();
console.log(JSON.stringify({ version, tools: tools.map((tool) => tool.name), results }));
