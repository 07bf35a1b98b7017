import "@plugboard/host";
