# Firn in an image: built in one stage with a toolchain, run in another without.
# docker build -t firn .    docker run -p 8080:8080 -v firn:/data -e FIRN_HOST=0.0.0.0 firn

ARG NODE=24-bookworm

FROM node:${NODE} AS build
RUN apt-get update && apt-get install -y --no-install-recommends cmake g++ make && rm -rf /var/lib/apt/lists/*
WORKDIR /firn
# What is installed changes more rarely than the sources.
COPY package.json package-lock.json ./
COPY scripts/install.mjs scripts/
COPY scripts/onnxruntime-without-download scripts/onnxruntime-without-download
RUN npm ci --no-audit --no-fund
COPY tsconfig.json ./
COPY scripts scripts
COPY native native
COPY src src
COPY clients/typescript/src clients/typescript/src
RUN npm run build && npm prune --omit=dev --no-audit --no-fund
# Providers of other systems are nine tenths of the inference package.
RUN cd node_modules/onnxruntime-node/bin/napi-v* && find . -mindepth 1 -maxdepth 1 ! -name linux -exec rm -rf {} + \
  && find linux -mindepth 1 -maxdepth 1 ! -name "$(node -p process.arch)" -exec rm -rf {} +

FROM node:${NODE}-slim
ENV NODE_ENV=production FIRN_HOST=0.0.0.0 FIRN_DATA_DIR=/data
WORKDIR /firn
COPY --from=build /firn/package.json ./
COPY --from=build /firn/node_modules node_modules
COPY --from=build /firn/build/Release build/Release
COPY --from=build /firn/dist dist
COPY migrations migrations
COPY LICENSE ./
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --start-period=30s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.FIRN_PORT ?? 8080}/healthz`).then((res) => process.exit(res.ok ? 0 : 1), () => process.exit(1))"]
# node is PID 1: it gets SIGTERM itself and drains.
ENTRYPOINT ["node", "--max-semi-space-size=4", "--no-parallel-scavenge", "--enable-source-maps", "dist/main.js"]
