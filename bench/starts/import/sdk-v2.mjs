import "@modelcontextprotocol/client";
import "@modelcontextprotocol/client/stdio";
