# Builds with a compiler for better-sqlite3, runs without one and without root.
FROM node:24-bookworm-slim AS build
RUN apt-get update \
  && apt-get install --yes --no-install-recommends python3 make g++ \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci
COPY . .
RUN npm run build && npm prune --omit=dev

FROM node:24-bookworm-slim
ENV NODE_ENV=production \
  MOORING_HOST=0.0.0.0 \
  MOORING_ALLOWED_HOSTS=localhost \
  MOORING_OPEN_PROBES=true \
  MOORING_STATE_DIR=/var/lib/mooring/state
RUN install --directory --owner=1000 --group=1000 --mode=0700 /var/lib/mooring
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=build /app/migrations ./migrations
COPY --from=build /app/virtual-apps ./virtual-apps
# The user node, by number: Kubernetes can see that it is not root.
USER 1000:1000
VOLUME /var/lib/mooring
EXPOSE 8484
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.MOORING_PORT || 8484) + '/readyz').then((reply) => process.exit(reply.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/src/cli/main.js", "serve"]
