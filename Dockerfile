# The operator's image, for those who build with an engine; `npm run image` makes the same program's image without one.
#
#   docker build --tag ordinal/operator .
#
# The base is named by its digest, as docker-library/repo-info gives it for this tag, so that no other one can take its place.
FROM docker.io/library/node:26.9.0-bookworm-slim@sha256:582460f614631b59b824ac6020533b9bf339c7fdf3a6d7db31abb6b4065f0212 AS build
WORKDIR /src
COPY . .
RUN npm ci && node apps/operator/bundle.ts

FROM docker.io/library/node:26.9.0-bookworm-slim@sha256:582460f614631b59b824ac6020533b9bf339c7fdf3a6d7db31abb6b4065f0212
COPY --from=build /src/apps/operator/dist/ordinal-operator.mjs /src/LICENSE /app/
WORKDIR /app
USER 65532:65532
ENV NODE_ENV=production MALLOC_ARENA_MAX=1 MALLOC_TRIM_THRESHOLD_=131072 MALLOC_MMAP_THRESHOLD_=65536
ENTRYPOINT ["/usr/local/bin/node", "--max-semi-space-size=2", "--heap-growing-percent=30", "/app/ordinal-operator.mjs"]
