// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.archfixtures.web;

import org.springframework.boot.context.properties.ConfigurationProperties;

@ConfigurationProperties("planted")
record WebProperties(String name) {

}
