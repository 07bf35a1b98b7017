import "@modelcontextprotocol/sdk/client/index.js";
import "@modelcontextprotocol/sdk/client/stdio.js";
import "@modelcontextprotocol/sdk/client/streamableHttp.js";
