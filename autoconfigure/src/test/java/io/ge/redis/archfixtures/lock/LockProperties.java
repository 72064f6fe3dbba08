// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.lock;

import org.springframework.boot.context.properties.ConfigurationProperties;

@ConfigurationProperties("planted")
record LockProperties(String name) {

}
