# Firn in an image: built in one stage with a toolchain, run in another without.
# docker build -t firn .    docker run -p 8080:8080 -v firn:/data -e FIRN_HOST=0.0.0.0 firn
# Workers with a GPU, on x64 only: docker build --target gpu -t firn-gpu .

ARG NODE=24-bookworm
# CUDA 12 and cuDNN 9, which the CUDA provider of onnxruntime needs, on a glibc no older than that of the build.
ARG CUDA=12.8.1-cudnn-runtime-ubuntu24.04
# The same with nvcc, for the kernels.
ARG CUDA_BUILD=12.8.1-devel-ubuntu24.04

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

# The CUDA provider of the same onnxruntime, which its install script downloads from api.nuget.org. It does so in a folder
# of its own: package.json replaces what that script needs by something that ends it.
FROM node:${NODE} AS cuda-provider
WORKDIR /provider
COPY package.json /firn/
RUN version="$(node -p "require('/firn/package.json').dependencies['onnxruntime-node']")" \
  && npm install --prefix . --ignore-scripts --no-audit --no-fund "onnxruntime-node@$version" \
  && ONNXRUNTIME_NODE_INSTALL=cuda12 node node_modules/onnxruntime-node/script/install \
  && mkdir lib && cd node_modules/onnxruntime-node/bin/napi-v*/linux/x64 \
  && cp libonnxruntime_providers_shared.so libonnxruntime_providers_cuda.so /provider/lib/

# libfirn_cuda.so: it is opened when FIRN_DEVICE asks for a GPU.
FROM nvidia/cuda:${CUDA_BUILD} AS device-kernels
RUN apt-get update && apt-get install -y --no-install-recommends cmake g++ make && rm -rf /var/lib/apt/lists/*
COPY native /firn/native
RUN cmake -S /firn/native -B /firn/build -DFIRN_CUDA=ON -DFIRN_BUILD_TESTS=OFF -DFIRN_BUILD_ADDON=OFF \
  && cmake --build /firn/build --target firn_cuda --parallel

FROM nvidia/cuda:${CUDA} AS gpu
ENV NODE_ENV=production FIRN_HOST=0.0.0.0 FIRN_DATA_DIR=/data
WORKDIR /firn
COPY --from=build /usr/local/bin/node /usr/local/bin/
COPY --from=build /firn/package.json ./
COPY --from=build /firn/node_modules node_modules
# Where the runtime looks for its providers: beside itself.
COPY --from=cuda-provider /provider/lib/ node_modules/onnxruntime-node/bin/napi-v6/linux/x64/
COPY --from=build /firn/build/Release build/Release
COPY --from=device-kernels /firn/build/libfirn_cuda.so build/Release/
COPY --from=build /firn/dist dist
COPY migrations migrations
COPY LICENSE ./
RUN mkdir /data && chown 1000:1000 /data
USER 1000:1000
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --start-period=120s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.FIRN_PORT ?? 8080}/healthz`).then((res) => process.exit(res.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--max-semi-space-size=4", "--no-parallel-scavenge", "--enable-source-maps", "dist/main.js"]
CMD ["work"]

# The last stage is what is built without --target.
FROM node:${NODE}-slim AS cpu
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
